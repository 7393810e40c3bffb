import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** A fresh key on a curve. */
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** An authority of its own and one certificate for 127.0.0.1, for servers and for clients, valid for two days. */
export class Certificates {
  private constructor(readonly folder: string) {}

  static async make(): Promise<Certificates> {
    const made = new Certificates(await mkdtemp(join(tmpdir(), 'bedrock-tls-')));
    const { ca, caKey, cert, key, folder } = made;
    const [request, extension] = [join(folder, 'request'), join(folder, 'extension')];
    writeFileSync(extension, 'subjectAltName = IP:127.0.0.1\n');
    const authority = ['-x509', '-subj', '/CN=Bedrock tests', '-days', '2', '-out', ca, '-keyout', caKey];
    await run('openssl', ['req', ...KEY, ...authority]);
    await run('openssl', ['req', ...KEY, '-subj', '/CN=127.0.0.1', '-out', request, '-keyout', key]);
    const signed = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-extfile', extension, '-days', '2'];
    await run('openssl', ['x509', '-req', '-in', request, ...signed, '-out', cert]);
    return made;
  }

  get ca(): string {
    return join(this.folder, 'ca.crt');
  }

  get caKey(): string {
    return join(this.folder, 'ca.key');
  }

  get cert(): string {
    return join(this.folder, 'node.crt');
  }

  get key(): string {
    return join(this.folder, 'node.key');
  }

  /** The options of Node's TLS for a client that shows its certificate. */
  get ofClient(): { ca: string; cert: string; key: string } {
    const [ca, cert, key] = [this.ca, this.cert, this.key].map((file) => readFileSync(file, 'utf8'));
    return { ca: ca!, cert: cert!, key: key! };
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}
