import { builtinTools, type ToolDefinition } from '../../builtin/index.ts';
import { jsonQuery } from './builtin/data/json-query.ts';
import { fileDelete } from './builtin/filesystem/file-delete.ts';
import { fileEdit } from './builtin/filesystem/file-edit.ts';
import { fileFind } from './builtin/filesystem/file-find.ts';
import { fileList } from './builtin/filesystem/file-list.ts';
import { fileRead } from './builtin/filesystem/file-read.ts';
import { fileWrite } from './builtin/filesystem/file-write.ts';
import { memoryManage } from './builtin/knowledge/memory-manage.ts';
import type { ToolImplementation } from './tool.ts';
import { mathEvaluate } from './builtin/utility/math-evaluate.ts';
import { timeNow } from './builtin/utility/time-now.ts';
import { httpRequest } from './builtin/web/http-request.ts';

/** A tool that can be run. */
export interface Tool {
  readonly definition: ToolDefinition;
  readonly implementation: ToolImplementation;
}

const IMPLEMENTATIONS: Readonly<Record<string, ToolImplementation>> = {
  file_delete: fileDelete,
  file_edit: fileEdit,
  file_find: fileFind,
  file_list: fileList,
  file_read: fileRead,
  file_write: fileWrite,
  http_request: httpRequest,
  json_query: jsonQuery,
  math_evaluate: mathEvaluate,
  memory_manage: memoryManage,
  time_now: timeNow,
};

/** Every tool that runs in the worker, by key. Delegation is no such tool: its work is a turn of its own. */
export const tools: ReadonlyMap<string, Tool> = new Map(
  builtinTools.filter(({ effect }) => effect !== 'agent').map((definition) => [definition.key, toTool(definition)]),
);

/** The tool of this key, or undefined. */
export function findTool(key: string): Tool | undefined {
  return tools.get(key);
}

function toTool(definition: ToolDefinition): Tool {
  const implementation = IMPLEMENTATIONS[definition.key];
  if (implementation === undefined) throw new Error(`builtin/tools/${definition.key} has no implementation`);
  return { definition, implementation };
}
