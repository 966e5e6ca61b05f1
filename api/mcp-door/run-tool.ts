import type { CallToolResult } from '@modelcontextprotocol/server';
import { auditedCaller, DENIED } from '../auditing/audited-caller.ts';
import { namedFields, namedIds } from '../../domain/audit/index.ts';
import { internalProblem, type Problem, problemOf } from '../http/problem.ts';
import { describeIssue } from '../http/replies/issue-words.ts';
import type { DoorCall, DoorTool } from './door-tool.ts';

/**
 * Runs a tool, and answers a failure in words that its client can show to a model; the audit log is told as by routes.
 */
export async function runTool(tool: DoorTool, args: unknown, call: DoorCall, ip: string): Promise<CallToolResult> {
  const { caller, context } = call;
  const { resource: recordType, action, name } = tool;
  const [recordId, ...relatedIds] = namedIds(args);
  const about = {
    recordType,
    action: `${recordType}.${action}` as const,
    recordId,
    relatedIds,
    fields: namedFields(args),
  };
  const event = { ...auditedCaller(caller), ...about, ip };
  try {
    const { data, text = JSON.stringify(data), isError = false } = await tool.run(args, call);
    if (tool.isAudited === true) await context.audit.changed({ ...event, outcome: 'success', status: 200 });
    return { content: [{ type: 'text', text }], structuredContent: data as Record<string, unknown>, isError };
  } catch (error) {
    const problem = problemOf(error) ?? internalProblem();
    const { requestId, status } = problem;
    if (requestId !== undefined)
      context.log.error({ err: error, requestId, tool: name }, 'a call of an MCP client failed');
    if (DENIED.has(status)) context.audit.denied({ ...event, outcome: 'denied', status });
    return { content: [{ type: 'text', text: wordsOf(problem) }], isError: true };
  }
}

function wordsOf({ detail }: Problem): string {
  return typeof detail === 'string' ? detail : detail.map(describeIssue).join('; ');
}
