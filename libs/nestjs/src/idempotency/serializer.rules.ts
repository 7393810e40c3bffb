/** Whether a class has class-transformer rules: fields to hide, expose or transform. */
export type SerializerRules = (instance: object) => boolean;

type Class = abstract new (...args: never[]) => unknown;

/** Members of class-transformer's storage that this package uses. Its public entry does not expose them. */
interface MetadataStorage {
  getStrategy(target: Class): 'excludeAll' | 'exposeAll' | 'none';
  getExcludedMetadatas(target: Class): readonly unknown[];
  getExposedMetadatas(target: Class): readonly unknown[];
  findTransformMetadatas(target: Class, property: string, type: number): readonly unknown[];
}

// A constant rather than a literal, since the file has no types.
const STORAGE: string = 'class-transformer/cjs/storage.js';
const TO_PLAIN = 1;
const NONE: SerializerRules = () => false;

let loaded: Promise<SerializerRules> | undefined;

/** The rules of the application's classes. Without class-transformer, no class has rules. */
export function serializerRules(): Promise<SerializerRules> {
  return (loaded ??= load());
}

async function load(): Promise<SerializerRules> {
  try {
    const { defaultMetadataStorage } = (await import(STORAGE)) as { defaultMetadataStorage: MetadataStorage };
    return (instance) => hasRules(defaultMetadataStorage, instance);
  } catch {
    return NONE;
  }
}

function hasRules(storage: MetadataStorage, instance: object): boolean {
  const type = instance.constructor as Class | undefined;
  if (typeof type !== 'function' || type === Object) return false;
  return (
    storage.getStrategy(type) !== 'none' ||
    storage.getExcludedMetadatas(type).length > 0 ||
    storage.getExposedMetadatas(type).length > 0 ||
    Object.keys(instance).some((name) => storage.findTransformMetadatas(type, name, TO_PLAIN).length > 0)
  );
}
