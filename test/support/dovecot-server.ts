import { execFile } from 'node:child_process';
import { chmod, mkdir, utimes, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Certificate } from './certificate.ts';
import { freePort } from './free-port.ts';
import { type StartedProgram, startProgram } from './started-program.ts';

const run = promisify(execFile);

/** A mail server with one mailbox, whose name is `agents`. */
export interface DovecotServer extends StartedProgram {
  /** Where connections are encrypted from the first byte; at `port` they begin in the open. */
  readonly securePort: number;
}

/** Starts Dovecot with the mails of a mailbox. */
export async function startDovecot(
  path: string,
  { password, certificate, mails }: { password: string; certificate: Certificate; mails: readonly string[] },
): Promise<DovecotServer> {
  const securePort = await freePort();
  const { username } = userInfo();
  // Root has no mail there.
  const owner = username === 'root' ? 'nobody' : username;
  const server = await startProgram(path, {
    args: async ({ folder, port }) => {
      const inbox = join(folder, 'mail', 'Maildir');
      for (const each of ['cur', 'new', 'tmp']) await mkdir(join(inbox, each), { recursive: true });
      for (const [index, mail] of mails.entries())
        await deliver(join(inbox, 'new', `${1_700_000_000 + index}.M${index}.test`), mail);
      await writeFile(join(folder, 'key.pem'), certificate.key);
      await writeFile(join(folder, 'cert.pem'), certificate.cert);
      await chmod(folder, 0o755);
      if (owner !== username) await run('chown', ['-R', owner, join(folder, 'mail')]);
      const { stdout } = await run('id', ['-g', owner]);
      const config = join(folder, 'dovecot.conf');
      await writeFile(config, configOf({ folder, port, securePort, password, owner, group: stdout.trim(), username }));
      return ['-F', '-c', config];
    },
  });
  return { ...server, securePort };
}

/** Puts a mail into a folder, as if it had come when it was sent. */
async function deliver(path: string, mail: string): Promise<void> {
  await writeFile(path, mail.replaceAll('\n', '\r\n'));
  const sentAt = new Date(/^Date: (.*)$/m.exec(mail)?.[1] ?? 0);
  await utimes(path, sentAt, sentAt);
}

interface ConfigValues {
  readonly folder: string;
  readonly port: number;
  readonly securePort: number;
  readonly password: string;
  readonly owner: string;
  readonly group: string;
  readonly username: string;
}

function configOf({ folder, port, securePort, password, owner, group, username }: ConfigValues): string {
  const own =
    username === 'root' ? '' : `default_internal_user = ${username}\ndefault_login_user = ${username}\nchroot =\n`;
  return `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = /dev/stderr
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
disable_plaintext_auth = yes
login_trusted_networks =
mail_location = maildir:${folder}/mail/Maildir
first_valid_uid = 1
${own}
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=${owner} gid=${group} home=${folder}/mail
}
service imap-login {
  chroot =
  inet_listener imap {
    address = 127.0.0.1
    port = ${port}
  }
  inet_listener imaps {
    address = 127.0.0.1
    port = ${securePort}
    ssl = yes
  }
}
service anvil {
  chroot =
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Archive {
    auto = create
  }
}
`;
}
