import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import type { Certificate } from './certificate.ts';
import { type StartedProgram, startProgram } from './started-program.ts';

const run = promisify(execFile);

/** Starts MariaDB with an empty system and a certificate, and has it run statements at the start. */
export async function startMariaDb(
  path: string,
  { key, cert }: Certificate,
  statements: readonly string[],
): Promise<StartedProgram> {
  const user = userInfo().username;
  return startProgram(path, {
    args: async ({ folder, port }) => {
      const data = join(folder, 'data');
      const installer = join(dirname(dirname(path)), 'bin', 'mariadb-install-db');
      await run(installer, ['--no-defaults', `--datadir=${data}`, `--user=${user}`, '--skip-test-db']);
      await writeFile(join(folder, 'key.pem'), key);
      await writeFile(join(folder, 'cert.pem'), cert);
      await writeFile(join(folder, 'init.sql'), statements.map((statement) => `${statement};\n`).join(''));
      return [
        '--no-defaults',
        `--user=${user}`,
        `--datadir=${data}`,
        `--socket=${join(folder, 'socket')}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        `--init-file=${join(folder, 'init.sql')}`,
        '--innodb-flush-log-at-trx-commit=0',
        '--local-infile=1',
        `--ssl-key=${join(folder, 'key.pem')}`,
        `--ssl-cert=${join(folder, 'cert.pem')}`,
      ];
    },
  });
}
