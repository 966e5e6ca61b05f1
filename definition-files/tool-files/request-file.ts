import { readRequestFile } from '../../domain/tools/index.ts';
import { faultOf } from '../definition-fault.ts';
import { expressionIssue } from './expression-issue.ts';

/** The file that says what request a tool sends. */
export const REQUEST_FILE = 'http.json';

/** Checks an http.json by itself: which arguments there are, tool.json says. Throws what is wrong with it. */
export function checkRequestFile(content: string): void {
  const request = readRequestFile(content);
  if ('issue' in request) throw faultOf(REQUEST_FILE, request.issue);
  const { result } = request.value;
  const issue = result === undefined ? undefined : expressionIssue(result);
  if (issue !== undefined) throw faultOf(REQUEST_FILE, `result: ${issue}`);
}
