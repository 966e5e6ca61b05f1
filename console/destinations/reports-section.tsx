import { Link } from '@tanstack/react-router';
import { Plus, X } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { Button } from '../ui/controls/button.tsx';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { SelectField } from '../ui/fields/fields.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { linesOf } from './destination-fields.tsx';
import classes from './destinations.module.css';
import {
  type ReportCondition,
  type ReportedThing,
  REPORTS_ACCESS,
  type RunReport,
  useDestinations,
} from './queries.ts';
import { useDestinationsText } from './text.ts';

/** A report that is edited; its key stays the same while others come and go. */
interface EditedReport {
  readonly key: string;
  readonly destination_id: string | null;
  readonly when: ReportCondition;
  readonly subject: string;
  readonly body: string;
  /** One a line. */
  readonly files: string;
}

interface ReportsSectionProps {
  /** What the draft is kept by: one workflow or schedule. */
  readonly owner: string;
  readonly deliveries: readonly RunReport[];
  /** What is reported: runs, the turns of a chat, or the attempts at a task. */
  readonly kind: ReportedThing['kind'];
  /** Stores them; with `overwrite` also when somebody else has changed the record meanwhile. */
  readonly onSubmit: (deliveries: RunReport[], overwrite: boolean) => Promise<unknown>;
  readonly onReload: () => void;
}

const MAX_REPORTS = 20;

/** Sets what of a workflow, a schedule, a chat or a task is reported to which destinations, and how. */
export function ReportsSection({ owner, kind, deliveries, onSubmit, onReload }: ReportsSectionProps): ReactNode {
  const [text, refusal] = [useDestinationsText(), useRefusal(REPORTS_ACCESS[kind])];
  const destinations = useDestinations().data?.items;
  const stored = useMemo(() => ({ deliveries: deliveries.map(editedOf) }), [deliveries]);
  return (
    <Section title={text.reports} lead={destinations?.length === 0 ? <NoDestinations /> : text.reportsLead[kind]}>
      <RecordForm
        draftKey={`reports.${owner}`}
        stored={stored}
        reason={refusal}
        onReload={onReload}
        done={text.saved}
        onSubmit={async ({ values, overwrite }) => onSubmit(values.deliveries.flatMap(reportOf), overwrite)}
      >
        {({ field }) => {
          const { value: reports, onValueChange } = field('deliveries');
          return (
            <div className="stack">
              {reports.map((report) => (
                <ReportFields
                  key={report.key}
                  report={report}
                  conditions={CONDITIONS.filter((when) => kind === 'run' || when !== 'missed')}
                  names={new Map((destinations ?? []).map(({ id, name }) => [id, showInvisible(name)]))}
                  onChange={(changed) =>
                    onValueChange(reports.map((each) => (each.key === report.key ? changed : each)))
                  }
                  onRemove={() => onValueChange(reports.filter(({ key }) => key !== report.key))}
                />
              ))}
              <div>
                <Button
                  icon={Plus}
                  reason={reports.length < MAX_REPORTS ? undefined : text.mostReports}
                  onClick={() => onValueChange([...reports, newReport(reports)])}
                >
                  {text.addReport}
                </Button>
              </div>
            </div>
          );
        }}
      </RecordForm>
    </Section>
  );
}

function NoDestinations(): ReactNode {
  const [text, orgId] = [useDestinationsText(), useOrgId()];
  return (
    <>
      {text.noDestinations}{' '}
      <Link to="/o/$orgId/destinations" params={{ orgId }}>
        {text.add}
      </Link>
    </>
  );
}

interface ReportFieldsProps {
  readonly report: EditedReport;
  readonly conditions: readonly ReportCondition[];
  /** The names of the destinations, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  readonly onChange: (report: EditedReport) => void;
  readonly onRemove: () => void;
}

const CONDITIONS = ['always', 'success', 'failure', 'undelivered', 'missed'] as const;

function ReportFields({ report, conditions, names, onChange, onRemove }: ReportFieldsProps): ReactNode {
  const text = useDestinationsText();
  const name = names.get(report.destination_id ?? '') ?? '';
  // As it was when it was shown: what one types meanwhile closes nothing.
  const [isCustom] = useState(report.subject !== '' || report.body !== '' || report.files !== '');
  const nameOf = (field: string) => `deliveries.${report.key}.${field}`;
  return (
    <div className={`stack gap-3 ${classes.report}`}>
      <ChoiceField
        label={text.destination}
        name={nameOf('destination_id')}
        choices={[...names].map(([value, label]) => ({ value, label }))}
        value={report.destination_id}
        onValueChange={(destination_id) => onChange({ ...report, destination_id })}
      />
      <SelectField
        label={text.when}
        name={nameOf('when')}
        options={conditions.map((value) => ({ value, label: text.conditions[value] }))}
        value={report.when}
        onValueChange={(when) => onChange({ ...report, when })}
      />
      <details open={isCustom}>
        <summary>{text.content}</summary>
        <div className="stack">
          <Field
            label={text.subject}
            hint={text.subjectHint}
            name={nameOf('subject')}
            value={report.subject}
            onValueChange={(subject) => onChange({ ...report, subject })}
          />
          <TextAreaField
            label={text.body}
            hint={text.bodyHint}
            name={nameOf('body')}
            value={report.body}
            onValueChange={(body) => onChange({ ...report, body })}
          />
          <TextAreaField
            label={text.files}
            hint={text.filesHint}
            name={nameOf('files')}
            value={report.files}
            onValueChange={(files) => onChange({ ...report, files })}
          />
        </div>
      </details>
      <div>
        <Button aria-label={text.removeReport(name)} onClick={onRemove}>
          <X aria-hidden />
          {text.delete}
        </Button>
      </div>
    </div>
  );
}

function editedOf({ subject, body, files, ...rest }: RunReport, at: number): EditedReport {
  return { ...rest, key: String(at), subject: subject ?? '', body: body ?? '', files: files.join('\n') };
}

// One for which no destination is chosen says nothing.
function reportOf({ destination_id, when, subject, body, files }: EditedReport): RunReport[] {
  if (destination_id === null) return [];
  const texts = { subject: subject === '' ? null : subject, body: body === '' ? null : body };
  return [{ destination_id, when, ...texts, files: linesOf(files) }];
}

function newReport(reports: readonly EditedReport[]): EditedReport {
  const last = Math.max(-1, ...reports.map(({ key }) => Number(key)));
  return { key: String(last + 1), destination_id: null, when: 'always', subject: '', body: '', files: '' };
}
