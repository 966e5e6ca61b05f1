import type { AttackFamily } from '../attack.ts';
import { administration } from './administration.ts';
import { calculations } from './calculations.ts';
import { connections } from './connections.ts';
import { dates } from './dates.ts';
import { delegation } from './delegation.ts';
import { fileTools } from './file-tools.ts';
import { lists } from './lists.ts';
import { memories } from './memories.ts';
import { messages } from './messages.ts';
import { providerReplies, providerStreams } from './provider-streams.ts';
import { requests } from './requests.ts';
import { signIns } from './sign-ins.ts';
import { strangers } from './strangers.ts';
import { webTools } from './web-tools.ts';

/** Every attack, family by family. */
export const attackFamilies: readonly AttackFamily[] = [
  calculations,
  dates,
  messages,
  providerStreams,
  providerReplies,
  webTools,
  fileTools,
  memories,
  delegation,
  lists,
  connections,
  requests,
  administration,
  strangers,
  signIns,
];
