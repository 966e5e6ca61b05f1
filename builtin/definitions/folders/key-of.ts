import { keyIssue } from '../../../domain/definitions/index.ts';
import { faultOf } from '../definition-fault.ts';

/** Returns the key of a folder of files: what its file says, which is its name where it has one. */
export function keyOf(folder: string | undefined, said: string | undefined, path: string): string {
  const key = folder ?? said;
  if (key === undefined) throw faultOf(path, 'must have a key, or lie in a folder that is named by it');
  const issue = keyIssue(key);
  if (issue !== undefined) throw faultOf('', `the key "${key}" ${issue}`);
  if (said !== undefined && said !== key) throw faultOf(path, `must have the key "${key}", as its folder is named`);
  return key;
}
