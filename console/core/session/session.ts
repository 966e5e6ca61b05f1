import type { components } from '../../openapi.ts';
import { browserStorage, oneAtATime } from '../browser/browser.ts';
import { Problem, problemOf, unreachable } from '../http/problem.ts';

export type CurrentUser = components['schemas']['CurrentUser'];

/** Whether somebody is signed in: not known yet, nobody, somebody, or somebody whose session has ended under them. */
export type SessionState = 'unknown' | 'none' | 'open' | 'ended';

interface AccessToken {
  readonly value: string;
  /** In milliseconds of the epoch. */
  readonly expiresAt: number;
  readonly userId: string;
}

type Said = { readonly kind: 'token'; readonly token: AccessToken } | { readonly kind: 'ended' };

const PATH = '/api/auth/browser-session';
const CHANNEL = 'everturn.session';
/** The turn of all that changes the cookie: a late answer of one would bring back what another has replaced. */
const LOCK = 'everturn.refresh';
/** Marks, for all tabs and later pages, a sign-out that the server was not told yet. */
const SIGNED_OUT = 'everturn.signed-out';
/** A token that ends sooner is renewed before it is used. */
const SPARE_MS = 60_000;

/**
 * The session of this browser. Its secret is in a cookie that no script reads; here is only an access token, in memory,
 * which the tabs of a browser give to each other. One tab at a time asks for a new one.
 */
export class Session {
  readonly #listeners = new Set<() => void>();
  readonly #channel = new BroadcastChannel(CHANNEL);
  #token: AccessToken | undefined;
  #userId: string | undefined;
  #state: SessionState = 'unknown';
  /** Counts what is signed in, renewed and ended: an answer to what was asked before is late. */
  #generation = 0;
  #renewing: Promise<AccessToken | undefined> | undefined;

  constructor() {
    this.#channel.addEventListener('message', (event: MessageEvent<Said>) => this.#hear(event.data));
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Who is signed in, or was when the session ended. */
  get userId(): string | undefined {
    return this.#userId;
  }

  /** Calls a function after each change of the state; returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Finds out whether the browser is signed in; throws a `Problem` when the server cannot be asked. */
  async open(): Promise<SessionState> {
    await this.accessToken();
    return this.#state;
  }

  /**
   * Returns an access token that is good for another minute; undefined when nobody is signed in. `rejected` is one that
   * the server did not take: another is asked for.
   */
  async accessToken(rejected?: string): Promise<string | undefined> {
    const token = this.#tokenBut(rejected);
    if (token !== undefined) return token.value;
    if (this.#isOver) return undefined;
    this.#renewing ??= this.#renew(rejected).finally(() => (this.#renewing = undefined));
    return (await this.#renewing)?.value;
  }

  /** When the access token of now ends, in milliseconds of the epoch: before that a socket is opened anew. */
  get expiresAt(): number | undefined {
    return this.#token?.expiresAt;
  }

  /** Signs in; throws a `Problem` when the pair is wrong, or when an earlier sign-out cannot be completed first. */
  async signIn(email: string, password: string): Promise<CurrentUser> {
    return oneAtATime(LOCK, async () => {
      if (isSignOutDue()) await closeSession();
      const { user, ...issued } = await send<Issued & { user: CurrentUser }>('POST', PATH, { email, password });
      this.#take(tokenOf({ ...issued, user_id: user.id }));
      return user;
    });
  }

  /**
   * Signs out in all tabs at once. Throws a `Problem` when the server cannot be told: the browser stays signed out, and
   * tells it before anything else.
   */
  async signOut(): Promise<void> {
    browserStorage.write(SIGNED_OUT, 'due');
    this.#end('none');
    this.#say({ kind: 'ended' });
    await oneAtATime(LOCK, closeSession);
  }

  close(): void {
    this.#channel.close();
  }

  get #isOver(): boolean {
    return this.#state === 'none' || this.#state === 'ended';
  }

  #tokenBut(rejected: string | undefined): AccessToken | undefined {
    const current = this.#token;
    return current !== undefined && current.value !== rejected && current.expiresAt > Date.now() + SPARE_MS
      ? current
      : undefined;
  }

  async #renew(rejected: string | undefined): Promise<AccessToken | undefined> {
    return oneAtATime(LOCK, async () => {
      // Another tab may have told us while this one waited for its turn, or somebody signed out.
      const token = this.#tokenBut(rejected);
      if (token !== undefined || this.#isOver) return token;
      if (isSignOutDue()) return this.#finishSignOut();
      const generation = this.#generation;
      const answer = await askForToken();
      if (isSignOutDue()) this.#end('none');
      if (generation !== this.#generation) return this.#token;
      if (answer === undefined) this.#end(this.#state === 'unknown' ? 'none' : 'ended');
      else this.#take(answer);
      return answer;
    });
  }

  /** Ends a session that somebody has signed out of before the server could be told. */
  async #finishSignOut(): Promise<undefined> {
    // Whether or not it can be told now: who signed out stays so.
    await closeSession().catch(() => undefined);
    this.#end('none');
  }

  #take(token: AccessToken): void {
    this.#setToken(token);
    this.#say({ kind: 'token', token });
  }

  #hear(said: Said): void {
    if (said.kind === 'ended') return this.#end('none');
    // Said by a tab that has not heard of the sign-out yet.
    if (!isSignOutDue()) this.#setToken(said.token);
  }

  #setToken(token: AccessToken): void {
    // Nothing of one person is shown to another.
    if (this.#userId !== undefined && this.#userId !== token.userId) this.#end('none');
    this.#generation += 1;
    this.#token = token;
    this.#userId = token.userId;
    this.#become('open');
  }

  #say(said: Said): void {
    this.#channel.postMessage(said);
  }

  #end(state: 'none' | 'ended'): void {
    this.#generation += 1;
    this.#token = undefined;
    if (state === 'none') this.#userId = undefined;
    this.#become(state);
  }

  #become(state: SessionState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

interface Issued {
  readonly access_token: string;
  readonly expires_in: number;
  readonly user_id: string;
}

function tokenOf({ access_token: value, expires_in: seconds, user_id: userId }: Issued): AccessToken {
  return { value, expiresAt: Date.now() + seconds * 1000, userId };
}

function isSignOutDue(): boolean {
  return browserStorage.read(SIGNED_OUT) !== undefined;
}

/** Has the server end the session of the cookie, if there is one. */
async function closeSession(): Promise<void> {
  await send('DELETE', PATH);
  browserStorage.remove(SIGNED_OUT);
}

/** Asks for a token for the session of the cookie; undefined when there is no such session. */
async function askForToken(): Promise<AccessToken | undefined> {
  try {
    return tokenOf(await send<Issued>('POST', `${PATH}/refresh`));
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return undefined;
    throw error;
  }
}

async function send<T>(method: 'POST' | 'DELETE', path: string, body?: object): Promise<T> {
  const response = await fetch(new URL(path, location.origin), {
    method,
    credentials: 'same-origin',
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw unreachable(error);
  });
  if (!response.ok) throw await problemOf(response);
  return (response.status === 204 ? undefined : await response.json()) as T;
}
