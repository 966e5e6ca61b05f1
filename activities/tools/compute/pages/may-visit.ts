import robotsModule from 'robots-parser';

/** Addresses of one site, and its `robots.txt`. */
export interface VisitRequest {
  readonly robots: string;
  /** Where `robots` was found. */
  readonly robotsUrl: string;
  readonly userAgent: string;
  readonly urls: readonly string[];
}

interface RobotRules {
  isAllowed(url: string, userAgent: string): boolean | undefined;
}

// Its types describe an ES module, which it is not.
const parseRobots = robotsModule as unknown as (url: string, text: string) => RobotRules;

/** Returns those of the addresses that a site lets a program of this name visit. */
export function mayVisit({ robots, robotsUrl, userAgent, urls }: VisitRequest): string[] {
  const rules = parseRobots(robotsUrl, robots);
  return urls.filter((url) => rules.isAllowed(url, userAgent) !== false);
}
