import { BUILTIN_TOOLS } from '../builtin/index.ts';
import { agentSpawn } from '../sources/delegation.ts';
import { definitionFile } from './builtin-definition.ts';

/** The definition files of all builtin tools. */
export const definitionFiles = [...BUILTIN_TOOLS.map(({ definition }) => definition), agentSpawn].map(definitionFile);
