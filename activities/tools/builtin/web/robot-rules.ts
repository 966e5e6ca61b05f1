import { type ToolContext, USER_AGENT } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { fetchText } from './fetch-text.ts';

const MAX_BYTES = 500 * 1024;
const FETCH_MS = 10_000;
const READ_MS = 10_000;

/**
 * Returns the function that tells which addresses of one origin its `robots.txt` lets a program visit. The rules of an
 * origin are read once, and kept for one call only: a site may change its mind.
 */
export function robotRules(context: ToolContext): (urls: readonly string[]) => Promise<readonly string[]> {
  const read = new Map<string, Promise<string>>();
  return async (urls) => {
    const origin = URL.parse(urls[0] ?? '')?.origin;
    if (origin === undefined || origin === 'null') return urls;
    const robotsUrl = `${origin}/robots.txt`;
    const known = read.get(origin) ?? readRobots(robotsUrl, context);
    read.set(origin, known);
    const robots = await known;
    if (robots === '') return urls;
    const job = { kind: 'may_visit', robots, robotsUrl, userAgent: USER_AGENT, urls } as const;
    return JSON.parse(await context.compute(job, { limitMs: READ_MS })) as string[];
  };
}

// A site without rules, or whose rules cannot be read, forbids nothing; the request for the page shows what is wrong.
async function readRobots(url: string, context: ToolContext): Promise<string> {
  try {
    const { text, type } = await fetchText({ url, timeoutMs: FETCH_MS, maxBytes: MAX_BYTES }, context);
    return type === 'text/html' ? '' : text;
  } catch (error) {
    if (error instanceof ToolFailure) return '';
    throw error;
  }
}
