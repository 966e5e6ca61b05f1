import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a server shows itself with. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Makes a certificate, for 127.0.0.1 unless others are named, that nobody trusts yet. */
export async function makeCertificate(names = 'IP:127.0.0.1'): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'everturn-certificate-'));
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=${names}`, '-days', '2'];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert];
  await run('openssl', [...made, ...subject]);
  const certificate = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
  await rm(folder, { recursive: true });
  return certificate;
}
