import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Clock } from '../../core/clock.js';
import type { SecretKeys } from '../../core/options/secret-keys.js';

const ALGORITHM = 'aes-256-gcm';
/** What NIST SP 800-38D advises for random ones. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
const MARK = 'sealed';

/**
 * Texts that are stored as they are, or under AES-256-GCM; bound to the record that they belong to, so that none can be
 * read as another's.
 */
export class SealedText {
  constructor(
    private readonly keys: SecretKeys,
    private readonly clock: Clock,
  ) {}

  /** @param boundTo what the text belongs to */
  seal(text: string, boundTo: string): string {
    const key = this.keys.newest;
    if (key === undefined) return `plain.${text}`;
    const iv = this.clock.randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, key.secret, iv).setAAD(Buffer.from(boundTo));
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${MARK}.${key.id}.${sealed.toString('base64')}`;
  }

  /**
   * Undefined for a text that no key opens, or that was changed. Also for plain text if keys are
   * set, since any client could write it.
   */
  open(stored: string, boundTo: string): string | undefined {
    if (stored.startsWith('plain.'))
      return this.keys.newest === undefined ? stored.slice('plain.'.length) : undefined;
    const [mark, id, base64] = stored.split('.');
    const key = this.keys.find(id);
    if (mark !== MARK || key === undefined || base64 === undefined) return undefined;
    const sealed = Buffer.from(base64, 'base64');
    if (sealed.byteLength < IV_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv(ALGORITHM, key.secret, sealed.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(boundTo)).setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      return (
        decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      );
    } catch {
      return undefined;
    }
  }
}
