import { z } from 'zod';
import { AppError } from '../../domain/core/app-error.ts';
import { text } from '../../domain/core/text.ts';
import {
  REPORT_CONDITIONS,
  REPORT_KEYS,
  repeatedReport,
  type RunReport,
  unknownKeyIn,
} from '../../domain/destinations.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { EXAMPLE_ID } from '../http/fields.ts';
import { fieldIssue } from '../http/problem.ts';
import { idOf } from '../resources/id-fields.ts';

const MAX_REPORTS = 20;
const MAX_SUBJECT = 500;
const MAX_BODY = 8_000;
const MAX_GLOBS = 10;
const MAX_GLOB = 500;
const KEYS = REPORT_KEYS.map((key) => `{{${key}}}`).join(', ');

function template(max: number) {
  return text(max)
    .min(1)
    .refine((given) => unknownKeyIn(given) === undefined, `must contain no keys but ${KEYS}`)
    .nullable();
}

const report = {
  destination_id: idOf('destinations'),
  when: z.enum(REPORT_CONDITIONS).meta({
    id: 'ReportCondition',
    description:
      'What is reported: completed runs, all other runs, all runs, reports that could not be delivered to another destination, or missed runs, because times were missed or it was paused automatically',
  }),
  subject: template(MAX_SUBJECT).meta({
    description: `One line, with ${KEYS}; null for the default: the name and the status`,
  }),
  body: template(MAX_BODY).meta({
    description: `Markdown, with ${KEYS}; null for the default: the output or the error`,
  }),
  files: z
    .array(
      text(MAX_GLOB)
        .min(1)
        .refine((glob) => !glob.includes('..'), 'must not contain ..'),
    )
    .max(MAX_GLOBS)
    .meta({ description: 'Globs of workspace files to attach: up to 10 files and 10 MB in total' }),
};

const EXAMPLE = { destination_id: EXAMPLE_ID, when: 'always', subject: null, body: null, files: [] } as const;
const DESCRIPTION =
  'Which runs, turns of a chat or attempts at a task are reported to which destinations, and how. Setting it requires `integrations.view`';

/** The field of what is reported that says where: a workflow, a schedule, a chat or a task. */
export const runReportsField = z
  .array(
    z
      .strictObject({
        ...report,
        when: report.when.default('always'),
        subject: report.subject.default(null),
        body: report.body.default(null),
        files: report.files.default([]),
      })
      .meta({ id: 'RunReportUpdate', examples: [{ destination_id: EXAMPLE_ID }, EXAMPLE] }),
  )
  .max(MAX_REPORTS)
  .meta({ description: DESCRIPTION });

/** The same field of a response. */
export const shownRunReportsField = z
  .array(
    z
      .object({
        ...report,
        destination_id: z.uuid(),
        subject: z.string().nullable(),
        body: z.string().nullable(),
        files: z.array(z.string()),
      })
      .meta({ id: 'RunReport', examples: [EXAMPLE] }),
  )
  .meta({ description: DESCRIPTION });

/** Rejects a caller who may not have anything sent to destinations. */
export function requireMayUse({ policy }: Pick<OrgCaller, 'policy'>): void {
  if (!policyAllows(policy, 'integrations.view'))
    throw new AppError('forbidden', 'Sending to destinations needs the permission integrations.view');
}

/** Rejects reports that the caller may not set, or of which two report the same run to one destination. */
export function checkRunReports(
  { policy }: Pick<OrgCaller, 'policy'>,
  reports: readonly RunReport[] | undefined,
): void {
  if (reports === undefined || reports.length === 0) return;
  requireMayUse({ policy });
  const repeated = repeatedReport(reports);
  if (repeated !== undefined)
    throw fieldIssue(
      ['deliveries', String(repeated), 'destination_id'],
      'already gets these reports by a delivery before',
    );
}

/** Rejects reports that the caller may not set for a chat or a task, which has no times that it could miss. */
export function checkTurnReports(caller: Pick<OrgCaller, 'policy'>, reports: readonly RunReport[]): void {
  const missed = reports.findIndex(({ when }) => when === 'missed');
  if (missed !== -1)
    throw fieldIssue(['deliveries', String(missed), 'when'], 'must not be missed: there are no times to miss');
  checkRunReports(caller, reports);
}
