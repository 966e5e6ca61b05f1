import { entriesOf } from '../core/objects/entries-of.ts';
import { readAddress } from './address.ts';

/** A name of DNS, or one of the kind that hosts files and containers use. */
const NAME = /^(?=.{1,253}$)[\w-]{1,63}(?:\.[\w-]{1,63})*$/;
const HOST = /^(?:\[(?<address>[\da-f.]*:[\da-f:.]*)\]|(?<name>[\w.-]{1,254}))(?::\d{0,5})?$/i;

/** Names under which the service may be called. */
export type HostNames = ReadonlySet<string>;

/** Reads a comma-separated list of host names, without ports. Throws with the text of a faulty entry. */
export function parseHostNames(list: string): HostNames {
  return new Set(entriesOf(list).map(readName));
}

function readName(entry: string): string {
  const name = normalize(entry);
  if (!NAME.test(name)) throw new Error(`"${entry}" is not a host name; write it without scheme and port`);
  return name;
}

/** Returns the name in a `Host` header, or in the place of a host in a URL; `undefined` when the text is none. */
export function hostNameOf(host: string): string | undefined {
  const groups = HOST.exec(host)?.groups;
  const { address, name } = groups ?? {};
  if (address !== undefined) return readAddress(address)?.toString();
  if (name === undefined) return undefined;
  const normalized = normalize(name);
  return NAME.test(normalized) ? normalized : undefined;
}

/**
 * Returns whether a name is one that the service may be called by: a known one, one that always means this machine, or
 * an address. A page that has its own name lead here (DNS rebinding) has none of these.
 */
export function isKnownHost(name: string, known: HostNames): boolean {
  return known.has(name) || name === 'localhost' || name.endsWith('.localhost') || readAddress(name) !== undefined;
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
