import { stripVTControlCharacters } from 'node:util';

/** How much of what a program says is kept. */
const MAX_SAID = 100_000;
const ADDRESS = /https:\/\/[^\s"'<>\\^`{|}]{1,4000}(?=[\s"'<>])/g;

/** What a program says to a person while it signs one in. */
export class SaidByProgram {
  #text = '';

  /** All that it has said lately, without the codes of a terminal. */
  get text(): string {
    return stripVTControlCharacters(this.#text);
  }

  add(piece: string): void {
    this.#text = (this.#text + piece).slice(-MAX_SAID);
  }

  /** Begins anew: what it says from now on is about something else. */
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
