import type { components } from '../../openapi.ts';
import { Problem, problemOf, unreachable } from '../http/problem.ts';

export type CurrentUser = components['schemas']['CurrentUser'];

/** Whether somebody is signed in: not known yet, nobody, somebody, or somebody whose session has ended under them. */
export type SessionState = 'unknown' | 'none' | 'open' | 'ended';

interface AccessToken {
  readonly value: string;
  /** In milliseconds of the epoch. */
  readonly expiresAt: number;
}

type Said = { readonly kind: 'token'; readonly token: AccessToken } | { readonly kind: 'ended' };

const PATH = '/api/auth/browser-session';
const CHANNEL = 'everturn.session';
const LOCK = 'everturn.refresh';
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
  #state: SessionState = 'unknown';
  #renewing: Promise<AccessToken | undefined> | undefined;

  constructor() {
    this.#channel.addEventListener('message', (event: MessageEvent<Said>) => this.#hear(event.data));
  }

  get state(): SessionState {
    return this.#state;
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
    const held = this.#token;
    if (held !== undefined && held.value !== rejected && held.expiresAt > Date.now() + SPARE_MS) return held.value;
    if (this.#state === 'none' || this.#state === 'ended') return undefined;
    this.#renewing ??= this.#renew(rejected).finally(() => (this.#renewing = undefined));
    return (await this.#renewing)?.value;
  }

  /** When the access token of now ends, in milliseconds of the epoch: before that a socket is opened anew. */
  get expiresAt(): number | undefined {
    return this.#token?.expiresAt;
  }

  /** Signs in; throws a `Problem` when the pair is wrong. */
  async signIn(email: string, password: string): Promise<CurrentUser> {
    const { user, ...issued } = await send<Issued & { user: CurrentUser }>('POST', PATH, { email, password });
    this.#take(tokenOf(issued));
    return user;
  }

  /** Signs out in all tabs, also when the server cannot be told. */
  async signOut(): Promise<void> {
    try {
      await send('DELETE', PATH);
    } finally {
      this.#end('none');
      this.#say({ kind: 'ended' });
    }
  }

  close(): void {
    this.#channel.close();
  }

  async #renew(rejected: string | undefined): Promise<AccessToken | undefined> {
    return navigator.locks.request(LOCK, async () => {
      // Another tab may have told us while this one waited for its turn.
      const told = this.#token;
      if (told !== undefined && told.value !== rejected && told.expiresAt > Date.now() + SPARE_MS) return told;
      try {
        const token = tokenOf(await send<Issued>('POST', `${PATH}/refresh`));
        this.#take(token);
        return token;
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 401) throw error;
        this.#end(this.#state === 'unknown' ? 'none' : 'ended');
        return undefined;
      }
    });
  }

  #take(token: AccessToken): void {
    this.#token = token;
    this.#become('open');
    this.#say({ kind: 'token', token });
  }

  #hear(said: Said): void {
    if (said.kind === 'ended') return this.#end('none');
    this.#token = said.token;
    this.#become('open');
  }

  #say(said: Said): void {
    this.#channel.postMessage(said);
  }

  #end(state: 'none' | 'ended'): void {
    this.#token = undefined;
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
}

function tokenOf({ access_token: value, expires_in: seconds }: Issued): AccessToken {
  return { value, expiresAt: Date.now() + seconds * 1000 };
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
