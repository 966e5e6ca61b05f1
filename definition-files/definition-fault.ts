import { AppError } from '../domain/core/app-error.ts';

/** What is wrong with one file of a definition; the path is '' where it is none of one file. */
export interface FileIssue {
  readonly path: string;
  readonly msg: string;
}

/** The files of a definition break a rule. The issues are shown to whoever sent them. */
export class DefinitionFault extends AppError {
  readonly issues: readonly FileIssue[];

  constructor(issues: readonly FileIssue[]) {
    super('unprocessable', issues.map(({ path, msg }) => (path === '' ? msg : `${path} ${msg}`)).join('; '));
    this.issues = issues;
  }
}

/** Makes the fault of one file. */
export function faultOf(path: string, msg: string): DefinitionFault {
  return new DefinitionFault([{ path, msg }]);
}
