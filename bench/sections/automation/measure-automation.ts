import type { Bench, SectionResult } from '../../section.ts';
import { measureAutomationLists } from './measure-automation-lists.ts';
import { measureDeliveries } from './measure-deliveries.ts';
import { measureStampede } from './measure-stampede.ts';
import { measureWebhooks } from './measure-webhooks.ts';

/** Measures and prints webhooks of workflows, schedules that are due together, lists, and messages to addresses. */
export async function measureAutomation(bench: Bench): Promise<SectionResult> {
  const targets = [
    ...(await measureAutomationLists(bench)),
    ...(await measureDeliveries(bench)),
    ...(await measureStampede(bench)),
    ...(await measureWebhooks(bench)),
  ];
  return { targets };
}
