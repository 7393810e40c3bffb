import {
  JavaExpirableSemaphore,
  JavaFencedLock,
  JavaLatch,
  JavaLock,
  JavaSemaphore,
  type JavaKind,
} from './java-objects.js';
import type { JavaProcess } from './java-process.js';

/** A thread of the Java side: whatever it locks belongs to it. */
export class JavaThread {
  constructor(
    readonly process: JavaProcess,
    readonly name: string,
  ) {}

  lock(name: string, kind: Extract<JavaKind, 'lock' | 'fair' | 'spin' | 'read' | 'write'> = 'lock') {
    return new JavaLock(this.process, this.name, kind, name);
  }

  /** RMultiLock over an RLock of each name. */
  multiLock(names: readonly string[]) {
    return new JavaLock(this.process, this.name, 'multi', names.join('\n'));
  }

  fencedLock(name: string) {
    return new JavaFencedLock(this.process, this.name, 'fenced', name);
  }

  semaphore(name: string) {
    return new JavaSemaphore(this.process, this.name, 'semaphore', name);
  }

  expirableSemaphore(name: string) {
    return new JavaExpirableSemaphore(this.process, this.name, 'expirable', name);
  }

  latch(name: string) {
    return new JavaLatch(this.process, this.name, 'latch', name);
  }
}
