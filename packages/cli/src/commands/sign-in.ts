import { hostname, type as systemName } from 'node:os';
import { type Command, Option } from 'commander';
import { AuthenticationError, Everturn } from '../../../sdk/src/index.ts';
import { ask, askSecret } from '../ask.ts';
import { Context, type GlobalOptions, parseId } from '../context.ts';
import { type Credentials, CredentialsFile } from '../credentials.ts';
import { EXIT, Failure, failureOf } from '../failure.ts';
import { columns } from '../output.ts';
import { addressOf, greet, VERSION } from '../server.ts';
import type { Environment } from '../environment.ts';

interface LoginOptions extends GlobalOptions {
  readonly email?: string;
  readonly apiKey?: boolean;
  readonly invite?: boolean;
  readonly org?: string;
}

/** Adds `login`, `logout` and `status`. */
export const signInCommands = [
  (program: Command, environment: Environment): void => {
    program
      .command('login')
      .description('sign in; secrets are read from the terminal or from standard input')
      .option('--email <address>', 'your e-mail address; the password is asked for')
      .option('--org <id>', 'an organization other than your active one', parseId)
      .addOption(new Option('--api-key', 'use an API key that you have').conflicts(['invite', 'email', 'org']))
      .addOption(
        new Option('--invite', 'redeem an invite, which makes this device one of yours').conflicts(['email', 'org']),
      )
      .action(async (_options: unknown, command: Command) => {
        const options = command.optsWithGlobals<LoginOptions>();
        await login(new Context(environment, options), options);
      });
  },
  (program: Command, environment: Environment): void => {
    program
      .command('logout')
      .description('revoke the key of this sign-in and forget it')
      .action(async (_options: unknown, command: Command) =>
        logout(new Context(environment, command.optsWithGlobals())),
      );
  },
  (program: Command, environment: Environment): void => {
    program
      .command('status')
      .description('show the server, and who you are there')
      .action(async (_options: unknown, command: Command) =>
        showStatus(new Context(environment, command.optsWithGlobals())),
      );
  },
];

async function login({ environment, options: { url: named }, output }: Context, options: LoginOptions): Promise<void> {
  const url = addressOf(environment.env, named);
  await greet(url);
  const file = new CredentialsFile(environment.env);
  // Before a key is created that could not be kept.
  file.read();
  const credentials = await credentialsFor(url, environment, options);
  const email = await keep(url, credentials, file);
  output.result({ url, email }, () => `Signed in at ${url} as ${email}. The key is in ${file.path}.`);
}

/** Stores credentials, and returns whose they are. Those that cannot be stored are revoked: nobody would know them. */
async function keep(url: string, credentials: Credentials, file: CredentialsFile): Promise<string> {
  try {
    const { email } = await new Everturn({ url, apiKey: credentials.apiKey }).request('GET', '/api/users/me');
    file.write(url, credentials);
    return email;
  } catch (error) {
    await revoke(url, credentials).catch(() => undefined);
    throw error;
  }
}

async function credentialsFor(url: string, environment: Environment, options: LoginOptions): Promise<Credentials> {
  if (options.apiKey === true) return { apiKey: await askSecret(environment, 'API key: ') };
  return options.invite === true ? redeemInvite(url, environment) : signIn(url, environment, options);
}

// A key and no session: it need not be renewed, so that several programs can use it at once.
async function signIn(
  url: string,
  environment: Environment,
  { email: given, org }: LoginOptions,
): Promise<Credentials> {
  const isTerminal = environment.stdin.isTTY === true;
  const email = given ?? (isTerminal ? await ask(environment, 'E-mail address: ') : undefined);
  if (email === undefined || email === '') throw new Failure('Say who you are with --email.', EXIT.usage);
  const password = await askSecret(environment, 'Password: ');
  const body = { email, password };
  const { access_token: accessToken } = await new Everturn({ url, apiKey: null })
    .request('POST', '/api/auth/login', { body })
    .catch((error: unknown) => {
      if (!(error instanceof AuthenticationError)) throw error;
      throw new Failure(`${error.message}.`, EXIT.notSignedIn, { cause: error });
    });
  const session = new Everturn({ url, apiKey: accessToken, orgId: org });
  try {
    const name = `everturn on ${hostname()}`.slice(0, 100);
    const { id, key } = await session.request('POST', '/api/users/me/api-keys', { body: { name } });
    return { apiKey: key, keyId: id };
  } finally {
    // A session that cannot be ended now ends by itself; the key must not be lost with it.
    await session.request('POST', '/api/auth/logout').catch(() => undefined);
  }
}

async function redeemInvite(url: string, environment: Environment): Promise<Credentials> {
  const token = await askSecret(environment, 'Invite: ');
  const name = hostname().slice(0, 100);
  const body = { token, device_name: name, platform: systemName() };
  const client = new Everturn({ url, apiKey: null });
  const { api_key: apiKey, device_id: deviceId } = await client.request('POST', '/api/auth/cli/redeem', { body });
  return { apiKey, deviceId };
}

async function logout({ environment: { env }, options, output }: Context): Promise<void> {
  const url = addressOf(env, options.url);
  const file = new CredentialsFile(env);
  const { [url]: credentials } = file.read().servers;
  if (credentials === undefined) throw new Failure(`You are not signed in at ${url}.`, EXIT.notSignedIn);
  file.write(url, undefined);
  const isOwn = credentials.keyId === undefined && credentials.deviceId === undefined;
  await revoke(url, credentials).catch((error: unknown) => {
    // A key that is not accepted any more needs no revoking.
    if (error instanceof AuthenticationError) return;
    throw new Failure(`The key was removed here, but is still valid at ${url}: ${failureOf(error)?.message}`);
  });
  output.result(
    { url },
    () => `Signed out of ${url}.${isOwn ? ' The API key was yours before, and stays valid.' : ''}`,
  );
}

async function revoke(url: string, { apiKey, keyId, deviceId }: Credentials): Promise<void> {
  const client = new Everturn({ url, apiKey });
  if (keyId !== undefined)
    await client.request('DELETE', '/api/users/me/api-keys/{key_id}', { path: { key_id: keyId } });
  if (deviceId !== undefined)
    await client.request('DELETE', '/api/users/me/devices/{device_id}', { path: { device_id: deviceId } });
}

async function showStatus(context: Context): Promise<void> {
  const { url, server, client } = await context.connect();
  const [me, keys, { engine }] = await Promise.all([
    client.request('GET', '/api/users/me'),
    client.request('GET', '/api/users/me/api-keys', { query: { limit: 1 } }),
    client.request('GET', '/readyz', { maxRetries: 0 }),
  ]);
  // A key is of one organization, and lists the keys of that one.
  const orgId = keys[0]?.org_id ?? me.active_org_id;
  const org = me.orgs.find(({ id }) => id === orgId) ?? null;
  const status = { url, server_version: server.version, cli_version: VERSION, engine, email: me.email, org };
  context.output.result(status, () =>
    columns([
      ['Server', `${url}, version ${server.version}`],
      ['Engine', engine === 'reachable' ? 'reachable' : 'away: messages are accepted, and answered once it is back'],
      ['You', me.email],
      ['Organization', org === null ? 'none' : `${org.name} (${org.role})`],
      ['This program', `version ${VERSION}`],
    ]),
  );
}
