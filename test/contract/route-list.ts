import { expect } from '@jest/globals';
import { conventionOf } from '../../api/http/replies/failure-form.ts';
import type { Route } from '../../api/http/define-route.ts';
import { routes } from '../../api/routes.ts';

/** A route with the title that a derived test is given. */
export interface NamedRoute {
  readonly title: string;
  readonly route: Route;
}

/** Every route of the api that fits, named for `test.each`. */
export function routesThat(fit: (route: Route) => boolean = () => true): NamedRoute[] {
  return routes.filter(fit).map((route) => ({ title: `${route.method.toUpperCase()} ${route.path}`, route }));
}

/** Returns whether a route follows the conventions of this API, not those of OpenAI's, MCP or A2A. */
export function isOfOwnApi({ path }: Pick<Route, 'path'>): boolean {
  return ['own', 'operations'].includes(conventionOf(path));
}

/** The body of the answer to a failure, with these words. */
export function failureOf(route: Pick<Route, 'path'>, words: unknown): unknown {
  const convention = conventionOf(route.path);
  if (convention === 'mcp' || convention === 'a2a')
    return { jsonrpc: '2.0', id: null, error: { code: expect.any(Number), message: words } };
  if (convention !== 'openai') return { detail: words };
  return { error: expect.objectContaining({ message: words, type: expect.stringMatching(/_error$/), param: null }) };
}

/** Every path of the api with the methods it is declared for. */
export function declaredPaths(): { path: Route['path']; methods: string[] }[] {
  const byPath = Map.groupBy(routes, ({ path }) => path);
  return [...byPath].map(([path, ofPath]) => ({ path, methods: ofPath.map(({ method }) => method.toUpperCase()) }));
}

/** The path of the card of a published agent, which everybody may read. */
export const AGENT_CARD_PATH = '/a2a/agents/{agent_id}/.well-known/agent-card.json';

/** Paths of reads that ask a provider through the engine, which these tests have not. */
export const ASKING: ReadonlySet<string> = new Set(['/api/providers/{provider_id}/models']);

/** Returns so many of a list, spread over all of it: neighbours are alike. */
export function spread<T>(all: readonly T[], count: number): readonly T[] {
  const stride = Math.max(1, Math.floor(all.length / count));
  return all.filter((_each, at) => at % stride === 0).slice(0, count);
}
