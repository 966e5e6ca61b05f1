/** What a person comes back with from the page of a provider. */
export interface SignInCode {
  readonly code: string;
  readonly state?: string | undefined;
}

/** Printable, and nothing that ends a line: it is typed into a program. */
const PART = /^[\x21-\x7e]{1,4096}$/;

/**
 * Reads what a person has copied: the bare code, `code#state`, or the whole address that they were sent back to.
 * Returns undefined for anything else, such as an address without a code.
 */
export function readSignInCode(copied: string): SignInCode | undefined {
  const text = copied.trim();
  const { code, state } = /^https?:\/\//i.test(text) ? inAddress(text) : beforeHash(text);
  if (code === undefined || !PART.test(code)) return undefined;
  if (state !== undefined && !PART.test(state)) return undefined;
  return { code, state };
}

/** Returns the state that the page of an address will give back; undefined when the address does not show it. */
export function stateOfAddress(address: string | null): string | undefined {
  return /[?&]state=(?<state>[^&#]*)/.exec(address ?? '')?.groups?.['state'];
}

interface Parts {
  readonly code: string | undefined;
  readonly state: string | undefined;
}

function inAddress(address: string): Parts {
  const query = address.split('#', 1)[0]?.split('?')[1] ?? '';
  const fields = new Map(query.split('&').map((field) => [field.split('=', 1)[0] ?? '', decoded(field)]));
  return { code: fields.get('code'), state: fields.get('state') };
}

function decoded(field: string): string | undefined {
  const value = field.slice(field.indexOf('=') + 1).replaceAll('+', ' ');
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function beforeHash(text: string): Parts {
  const [code, state] = text.split('#');
  return { code, state };
}
