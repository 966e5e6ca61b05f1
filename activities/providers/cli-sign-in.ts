import { stripVTControlCharacters } from 'node:util';
import { cancellationSignal } from '@temporalio/activity';
import type { Logger } from 'pino';
import type { Database } from '../../db/core/database.ts';
import type { SecretBox } from '../../db/core/secret-box.ts';
import {
  failSignIn,
  openSignIn,
  type ProviderSignIn,
  readSignInById,
  sealSignIn,
  type SignInRef,
  storeAddress,
  storeSignedIn,
  takeCode,
  wantAnotherCode,
} from '../../db/providers/sign-ins.ts';
import { type CliProvider, isCliProvider } from '../../domain/providers/credential-forms.ts';
import { type SignInCode, stateOfAddress } from '../../domain/providers/sign-in.ts';
import type { ProviderSignInInput } from '../../workflows/providers/contract.ts';
import type { CliProgram, CliStart } from '../llm/cli/programs/cli-program.ts';
import type { InstalledClis } from '../llm/cli/installed-clis.ts';
import { ProviderFailure, scrub } from '../llm/failures/provider-failure.ts';
import type { CliEvent, CliProcess } from '../sandbox/cli/cli-process.ts';
import type { HomeFiles } from '../sandbox/cli/given-cli.ts';

/** The dependencies of sign-ins with a program. */
export interface SignInDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly clis: InstalledClis;
  readonly log: Logger;
}

const POLL_MS = 400;

/** How long a program that has signed in may take to complete its files. */
const FINISH_MS = 3_000;
const CALLBACK = 'http://127.0.0.1:1455/auth/callback';
const NOT_TAKEN = 'The code was not accepted. Open the address again, and send the new code';

/** A person's sign-in, for as long as the program that makes it runs. */
class CliSignIn {
  readonly #deps: SignInDeps;
  readonly #ref: SignInRef;
  readonly #program: CliProgram;
  readonly #end = new AbortController();
  readonly #said = new SaidByProgram();
  #address: string | undefined;
  #process: CliProcess | undefined;
  #files: HomeFiles = {};
  #isVerifying = false;

  constructor(deps: SignInDeps, signIn: ProviderSignIn, provider: CliProvider) {
    this.#deps = deps;
    this.#ref = { orgId: signIn.orgId, signInId: signIn.id };
    this.#program = deps.clis.programOf(provider);
  }

  /** Runs until the sign-in is ready, has failed, or was abandoned; nothing of the program is left then. */
  async run(stop: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([stop, this.#end.signal]);
    try {
      for (const start of this.#program.login.starts) {
        if (this.#address === undefined && !this.#isSignedIn && !signal.aborted) await this.#runProgram(start, signal);
      }
      if (this.#isSignedIn) await this.#store();
      else if (!this.#end.signal.aborted) await this.#fail(stop.aborted ? STOPPED : this.#lastWords());
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      await this.#fail(`${this.#program.name} ${error.message}`);
    }
  }

  async #runProgram(start: CliStart, signal: AbortSignal): Promise<void> {
    const files = Object.entries(start.files).map(([name, text]) => [name, Buffer.from(text).toString('base64')]);
    const { args, environment, isTerminal } = start;
    const watched = this.#program.credentialFiles;
    const call = { args, environment, isTerminal, files: Object.fromEntries(files), watched, isInteractive: true };
    this.#said.forget();
    this.#process = await this.#deps.clis.start(this.#program.provider, { orgId: this.#ref.orgId, call, signal });
    const polling = setInterval(() => void this.#poll(), POLL_MS);
    try {
      for await (const event of this.#process.events()) await this.#take(event, start);
    } finally {
      clearInterval(polling);
      this.#process.kill();
      await this.#process.ended;
    }
  }

  async #take(event: CliEvent, start: CliStart): Promise<void> {
    if ('said' in event) {
      this.#said.add(event.said);
      await this.#findAddress(start);
    } else if ('files' in event) {
      this.#files = { ...this.#files, ...event.files };
      if (this.#isSignedIn) setTimeout(() => this.#process?.kill(), FINISH_MS).unref();
    } else if ('got' in event && event.got >= 400) {
      await this.#refuseCode(null);
    }
  }

  /** Shows the person where to sign in, when the program has printed it. */
  async #findAddress({ userCode }: CliStart): Promise<void> {
    const authUrl = this.#said.addressAt(this.#program.login.pages);
    if (authUrl === undefined || authUrl === this.#address) return;
    const code = userCode?.exec(this.#said.text)?.groups?.['code'] ?? null;
    // Without the code an address is not that of the page: it may be one that could not be reached.
    if (userCode !== undefined && code === null) return;
    this.#address = authUrl;
    if (this.#isVerifying) return this.#refuseCode(authUrl);
    await storeAddress(this.#deps.database, this.#ref, { authUrl, userCode: code, wantsCode: code === null });
  }

  async #refuseCode(authUrl: string | null): Promise<void> {
    this.#isVerifying = false;
    await wantAnotherCode(this.#deps.database, this.#ref, { authUrl, detail: NOT_TAKEN });
  }

  /** Checks whether the person has come back, or has cancelled. */
  async #poll(): Promise<void> {
    try {
      const signIn = await readSignInById(this.#deps.database, this.#ref);
      if (signIn === undefined || signIn.status === 'expired' || signIn.status === 'failed') return this.#giveUp();
      if (signIn.status !== 'verifying' || this.#isVerifying) return;
      const sealed = await takeCode(this.#deps.database, this.#ref);
      if (sealed === undefined) return;
      this.#isVerifying = true;
      this.#give(openSignIn(this.#deps.box, this.#ref, sealed) as SignInCode);
    } catch (error) {
      this.#deps.log.warn({ err: error, signInId: this.#ref.signInId }, 'a sign-in could not be checked');
    }
  }

  #give({ code, state = stateOfAddress(this.#address ?? null) }: SignInCode): void {
    const query = new URLSearchParams({ code, state: state ?? '' }).toString();
    const { takes } = this.#program.login;
    if (takes === 'callback') return this.#process?.give({ get: `${CALLBACK}?${query}` });
    const typed = takes === 'code#state' && state !== undefined ? `${code}#${state}` : code;
    this.#process?.give({ write: `${typed}\n` });
  }

  #giveUp(): void {
    this.#end.abort(new Error('the sign-in was given up'));
  }

  get #isSignedIn(): boolean {
    return this.#program.credentialFiles[0] in this.#files;
  }

  async #store(): Promise<void> {
    const credentials = sealSignIn(this.#deps.box, this.#ref, { files: this.#files });
    await storeSignedIn(this.#deps.database, this.#ref, credentials);
  }

  async #fail(detail: string): Promise<void> {
    await failSignIn(this.#deps.database, this.#ref, detail);
  }

  #lastWords(): string {
    const said = this.#address === undefined ? this.#said.text : this.#said.text.split(this.#address).at(-1);
    const line = scrub((said ?? '').trim().split('\n').at(-1) ?? '', undefined);
    const why = line === '' ? '' : `: ${line}`;
    return this.#address === undefined
      ? `${this.#program.name} did not say where to sign in${why}`
      : `${this.#program.name} has ended without a sign-in${why}. Start again`;
  }
}

/** Why a sign-in ends with its worker: it alone has the secret that belongs to the code. */
const STOPPED = 'The worker that ran the sign-in has stopped. Start again';

/** How much of what a program says is kept. */
const MAX_SAID = 100_000;
const ADDRESS = /https:\/\/[^\s"'<>\\^`{|}]{1,4000}(?=[\s"'<>])/g;

/** Collects what a program prints for the person while it signs them in. */
export class SaidByProgram {
  #text = '';

  /** All that it has said lately, without the codes of a terminal. */
  get text(): string {
    return stripVTControlCharacters(this.#text);
  }

  add(chunk: string): void {
    this.#text = (this.#text + chunk).slice(-MAX_SAID);
  }

  /** Starts over: the output from now on is about something else. */
  forget(): void {
    this.#text = '';
  }

  /** Returns the last address on a page of one of these hosts; undefined when there is none. */
  addressAt(hosts: readonly string[]): string | undefined {
    const found = this.text.match(ADDRESS) ?? [];
    return found.findLast((address) => isPageOf(hosts, URL.parse(address)));
  }
}

function isPageOf(hosts: readonly string[], url: URL | null): boolean {
  if (url === null || url.protocol !== 'https:') return false;
  return hosts.includes(url.hostname) && url.port === '' && url.username === '' && url.password === '';
}

/** Creates the activity that runs the program which signs a person in. What they exchange stays out of histories. */
export function createSignInWithCli(deps: SignInDeps) {
  return async function signInWithCli({ orgId, signInId }: ProviderSignInInput): Promise<void> {
    const stop = cancellationSignal();
    const signIn = await readSignInById(deps.database, { orgId, signInId });
    const provider = signIn?.providerType ?? '';
    if (signIn?.status !== 'pending' || !isCliProvider(provider)) return;
    await new CliSignIn(deps, signIn, provider).run(stop);
  };
}

/** Makes the activity that ends a sign-in whose program is gone: with its worker, or by a fault. */
export function createFailSignIn({ database }: Pick<SignInDeps, 'database'>) {
  return async function failProviderSignIn({ orgId, signInId }: ProviderSignInInput): Promise<void> {
    await failSignIn(database, { orgId, signInId }, STOPPED);
  };
}
