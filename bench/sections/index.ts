import type { Bench, SectionResult } from '../section.ts';
import { measureAutomationLists } from './automation/measure-automation-lists.ts';
import { measureDeliveries } from './automation/measure-deliveries.ts';
import { measureStampede } from './automation/measure-stampede.ts';
import { measureWebhooks } from './automation/measure-webhooks.ts';
import type { SectionName } from '../options.ts';
import type { Round } from '../report/comparison.ts';
import { measureConsole } from './console/measure-console.ts';
import { measureLighthouse } from './console/measure-lighthouse.ts';
import { measureIdle } from './idle/measure-idle.ts';
import { measureLostStore } from './idle/measure-lost-store.ts';
import { measurePeers } from './peers/measure-peers.ts';
import { measureEndpoints } from './turns/measure-endpoints.ts';
import { measureFirstToken } from './turns/measure-first-token.ts';
import { measureMemory } from './turns/measure-memory.ts';
import { measureNewChats } from './turns/measure-new-chats.ts';
import { measureRecovery } from './turns/measure-recovery.ts';
import { measureStandingChats } from './turns/measure-standing-chats.ts';
import { measureStreams } from './turns/measure-streams.ts';
import { measureTurnLengths } from './turns/measure-turn-lengths.ts';
import { measureBusyTools } from './work/measure-busy-tools.ts';
import { measureDelegation } from './work/measure-delegation.ts';
import { measureEquippedAgent } from './work/measure-equipped-agent.ts';
import { measureInterrupts } from './work/measure-interrupts.ts';
import { measureKnowledge } from './searches/measure-knowledge.ts';
import { measureLongChats } from './work/measure-long-chats.ts';
import { measurePermissions } from './work/measure-permissions.ts';
import { measureSearch } from './searches/measure-search.ts';
import { measureToolOffer } from './work/measure-tool-offer.ts';
import { measureToolRounds } from './work/measure-tool-rounds.ts';
import { measureWork } from './work/measure-work.ts';
import { measureWorkspaces } from './workspaces/measure-workspaces.ts';

/** Measures and prints webhooks of workflows, schedules that are due together, lists, and messages to addresses. */
async function measureAutomation(bench: Bench): Promise<SectionResult> {
  const targets = [
    ...(await measureAutomationLists(bench)),
    ...(await measureDeliveries(bench)),
    ...(await measureStampede(bench)),
    ...(await measureWebhooks(bench)),
  ];
  return { targets };
}

/** What is measured in each section. */
export const SECTIONS: Readonly<Record<SectionName, (bench: Bench) => Promise<SectionResult>>> = {
  'first-token': measureFirstToken,
  'standing-chats': measureStandingChats,
  'new-chats': measureNewChats,
  peers: measurePeers,
  endpoints: measureEndpoints,
  lengths: measureTurnLengths,
  streams: measureStreams,
  recovery: measureRecovery,
  memory: measureMemory,
  tools: measureToolRounds,
  delegation: measureDelegation,
  interrupt: measureInterrupts,
  calls: measureBusyTools,
  history: measureLongChats,
  permissions: measurePermissions,
  'equipped-agent': measureEquippedAgent,
  'tool-offer': measureToolOffer,
  search: measureSearch,
  knowledge: measureKnowledge,
  workspaces: measureWorkspaces,
  work: measureWork,
  automation: measureAutomation,
  idle: measureIdle,
  'lost-store': measureLostStore,
  console: measureConsole,
  lighthouse: measureLighthouse,
};

const ONCE: ReadonlySet<SectionName> = new Set(['memory', 'search', 'knowledge', 'idle', 'lost-store', 'lighthouse']);

/**
 * Returns in which order two checkouts are measured: whatever changes steadily on the machine meanwhile meets both
 * alike. Memory, searches, idleness and scores take minutes and hardly vary: they are measured once each time.
 */
export function roundsOf(section: SectionName, repeat: number): readonly Round['label'][] {
  const once: readonly Round['label'][] = ONCE.has(section) ? ['A', 'B'] : ['A', 'B', 'B', 'A'];
  return Array.from({ length: repeat }, () => once).flat();
}
