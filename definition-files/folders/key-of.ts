import { keyIssue } from '../../domain/definitions/index.ts';
import { faultOf } from '../definition-fault.ts';

/** What names a folder of files, beside the files themselves. */
export interface FolderNames {
  readonly folder: string | undefined;
  /** The key that its reader wants, whatever folder and files say. */
  readonly wanted?: string | undefined;
}

/** How a folder of files is read. */
export interface ReadOptions extends Pick<FolderNames, 'wanted'> {
  /** Whether the parameters of a tool are examined; unless they ship with the service, whose tests examine them. */
  readonly isExamined?: boolean;
}

/**
 * Returns the key of a folder of files: the one that is wanted, or what its file says, which is its name where it has
 * one.
 */
export function keyOf({ folder, wanted }: FolderNames, said: string | undefined, path: string): string {
  const key = wanted ?? folder ?? said;
  if (key === undefined) throw faultOf(path, 'must have a key, or lie in a folder that is named by it');
  const issue = keyIssue(key);
  if (issue !== undefined) throw faultOf('', `the key "${key}" ${issue}`);
  if (wanted === undefined && said !== undefined && said !== key)
    throw faultOf(path, `must have the key "${key}", as its folder is named`);
  return key;
}
