import type { ServiceAnswer } from '../../context.ts';

/** The characters of the header `Link` (RFC 8288) that are looked at. */
const MAX_HEADER = 8_000;

/**
 * Returns the parameter of that name in the link to the next page of a list; undefined when there is no further page.
 */
export function nextPageOf(answer: Pick<ServiceAnswer, 'headers'>, parameter: string): string | undefined {
  return nextLinkOf(answer)?.searchParams.get(parameter) ?? undefined;
}

/** Returns the whole query of the link to the next page of a list; undefined when there is no further page. */
export function nextQueryOf(answer: Pick<ServiceAnswer, 'headers'>): string | undefined {
  return nextLinkOf(answer)?.searchParams.toString();
}

function nextLinkOf({ headers }: Pick<ServiceAnswer, 'headers'>): URL | undefined {
  for (const link of (headers.get('link') ?? '').slice(0, MAX_HEADER).split('<')) {
    const [address = '', rest = ''] = link.split('>', 2);
    // Sentry links to a next page that has no results, and says so.
    if (rest.includes('rel="next"') && !rest.includes('results="false"')) return URL.parse(address) ?? undefined;
  }
  return undefined;
}
