import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Problem } from '../../core/http/problem.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { TextAreaField } from '../../ui/fields/text-area-field.tsx';
import { useRecordDrafts } from '../../ui/form/record-drafts.ts';
import { RecordForm, type SentRecord } from '../../ui/form/record-form.tsx';
import { DangerSection } from '../../ui/overlays/danger-section.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Section } from '../../ui/page/section.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../groups-page.module.css';
import { type PermissionGroup, useAssignable, useCatalog, useGroupActions } from '../queries.ts';
import { atItsField, bodyOf, GROUP_JSON, type GroupValues, valuesOf } from '../rights/group-values.ts';
import { matrixRows } from '../rights/matrix-rows.ts';
import { Matrix } from '../rights/matrix.tsx';
import { LimitFields, ListFields } from '../rights/rights-fields.tsx';
import { usePermissionsText } from '../text.ts';
import { Preview } from './preview.tsx';

interface GroupRightsProps {
  readonly group: PermissionGroup;
  readonly groups: readonly PermissionGroup[];
  /** Why it cannot be changed; undefined when it can. */
  readonly refusal: string | undefined;
}

/** What the members of a group may do: rights, what may be used, limits; and what that comes to for a member. */
export function GroupRights({ group, groups, refusal }: GroupRightsProps) {
  const [text, toast] = [usePermissionsText(), useToast()];
  const [catalog, assignable, { change, read }] = [useCatalog(), useAssignable(), useGroupActions()];
  const stored = useMemo(() => valuesOf(group), [group]);
  const save = async ({ changes, overwrite }: SentRecord<GroupValues>) => {
    try {
      await change(group.id, bodyOf(changes), overwrite ? undefined : group.updated_at);
      toast(text.saved(showInvisible(changes.name ?? group.name)));
    } catch (error) {
      throw error instanceof Problem ? atItsField(error, changes) : error;
    }
  };
  return (
    <Loaded query={catalog}>
      {(entries) => (
        <Loaded query={assignable}>
          {(things) => (
            <>
              <RecordForm
                draftKey={`group.${group.id}`}
                stored={stored}
                reason={refusal}
                json={GROUP_JSON}
                onSubmit={save}
                onReload={() => void read()}
              >
                {(record) => (
                  <div>
                    <Section title={text.identity}>
                      <div className={classes.form}>
                        <Field label={text.name} required {...record.field('name')} />
                        <TextAreaField label={text.description} {...record.field('description')} />
                        <Matrix
                          rows={matrixRows(entries)}
                          field={record.field('permissions')}
                          isReadOnly={refusal !== undefined}
                        />
                      </div>
                    </Section>
                    <ListFields record={record} assignable={things} />
                    <LimitFields record={record} />
                    <Preview
                      group={group}
                      groups={groups}
                      values={record.values}
                      rows={matrixRows(entries)}
                      assignable={things}
                    />
                  </div>
                )}
              </RecordForm>
              <DeleteSection group={group} refusal={refusal} />
            </>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

function DeleteSection({ group, refusal }: Pick<GroupRightsProps, 'group' | 'refusal'>) {
  const [text, toast, { remove }] = [usePermissionsText(), useToast(), useGroupActions()];
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  const drafts = useRecordDrafts();
  const name = showInvisible(group.name);
  return (
    <DangerSection
      title={text.remove}
      why={text.removeWhy}
      action={text.remove}
      question={text.removeAsk(name)}
      reason={refusal}
      onConfirm={async () => {
        await remove(group.id);
        toast(text.removed(name));
        // What was changed here and not saved is gone with it.
        drafts.forget(`group.${group.id}`, `group-members.${group.id}`);
        await navigate({ to: '/o/$orgId/permissions', params: { orgId }, ignoreBlocker: true });
      }}
    />
  );
}
