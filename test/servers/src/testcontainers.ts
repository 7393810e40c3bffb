/** The parts of the package `testcontainers` that are used; it is installed on first use. */
export interface Testcontainers {
  readonly GenericContainer: new (image: string) => ContainerBuilder;
  getContainerRuntimeClient(): Promise<ContainerRuntime>;
}

export interface ContainerBuilder {
  withCommand(command: string[]): this;
  withExposedPorts(...ports: { readonly container: number; readonly host: number }[]): this;
  start(): Promise<StartedContainer>;
}

export interface StartedContainer {
  getId(): string;
  getHost(): string;
  stop(): Promise<unknown>;
  restart(): Promise<void>;
}

export interface ContainerRuntime {
  readonly container: { getById(id: string): Container };
}

export interface Container {
  kill(options: { readonly signal: string }): Promise<unknown>;
  pause(): Promise<unknown>;
  unpause(): Promise<unknown>;
}
