import { BUILTIN_TOOLS } from '../builtin/index.ts';
import { agentSpawn } from '../sources/delegation/agent-spawn.ts';
import { definitionFile } from './builtin-definition.ts';

/** What the definition files of all tools that ship with the service say. */
export const definitionFiles = [...BUILTIN_TOOLS.map(({ definition }) => definition), agentSpawn].map(definitionFile);
