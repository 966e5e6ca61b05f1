import type { ServiceAnswer } from '../../context.ts';

/** A link of the header `Link` (RFC 8288), as lists of REST APIs have them. */
const LINK = /<(?<address>[^>]{1,2000})>(?<rest>[^,<]{0,500})/g;

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
  for (const { groups } of (headers.get('link') ?? '').matchAll(LINK)) {
    const { address = '', rest = '' } = groups ?? {};
    // Sentry links to a next page that has no results, and says so.
    if (rest.includes('rel="next"') && !rest.includes('results="false"')) return URL.parse(address) ?? undefined;
  }
  return undefined;
}
