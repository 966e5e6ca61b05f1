import { useMemo } from 'react';
import { ALLOWLISTS } from '../../domain/resources.ts';
import { Problem } from '../core/http/problem.ts';
import { type Choice, ChoiceField } from '../ui/controls/choice.tsx';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { MultiChoiceField, NumberField } from '../ui/fields/fields.tsx';
import { DeleteSection } from '../ui/form/delete-section.tsx';
import { RecordForm, type SentRecord } from '../ui/form/record-form.tsx';
import type { EditedRecord, RecordField } from '../ui/form/use-record.ts';
import { useToast } from '../ui/overlays/toast.tsx';
import { Loaded, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './permissions.module.css';
import { Preview } from './preview.tsx';
import { type Assignable, type PermissionGroup, useAssignable, useCatalog, useGroupActions } from './queries.ts';
import { atItsField, bodyOf, GROUP_JSON, type GroupValues, LIMIT_FIELDS, valuesOf } from './group-values.ts';
import { Matrix, matrixRows } from './matrix.tsx';
import { usePermissionsText } from './text.ts';

interface GroupRightsProps {
  readonly group: PermissionGroup;
  readonly groups: readonly PermissionGroup[];
  /** Why it cannot be changed; undefined when it can. */
  readonly refusal: string | undefined;
}

/** What the members of a group may do: rights, what may be used, limits; and what that comes to for a member. */
export function GroupRights({ group, groups, refusal }: GroupRightsProps) {
  const [text, toast] = [usePermissionsText(), useToast()];
  const [catalog, assignable, { change, read, remove }] = [useCatalog(), useAssignable(), useGroupActions()];
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
                      <div className="stack">
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
              <DeleteSection
                text={{ ...text, removeTitle: text.remove }}
                name={group.name}
                reason={refusal}
                onRemove={async () => remove(group.id)}
                list="/o/$orgId/permissions"
                draftKeys={[`group.${group.id}`, `group-members.${group.id}`]}
              />
            </>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

interface ListFieldsProps {
  readonly record: EditedRecord<GroupValues>;
  readonly assignable: Assignable;
}

/** The records that may be used, by a picker for each kind, and the chain that must be used. */
function ListFields({ record, assignable }: ListFieldsProps) {
  const text = usePermissionsText();
  return (
    <Section title={text.lists} lead={text.listsWhy}>
      <div className="stack">
        {ALLOWLISTS.map(({ field, choices, things }) => {
          const { length } = record.values[field];
          return (
            <MultiChoiceField
              key={field}
              label={text.list[field]}
              hint={length === 0 ? text.all(things) : text.some(length, things)}
              choices={choicesOf(assignable[choices])}
              {...record.field(field)}
            />
          );
        })}
        <ChoiceField
          label={text.chain}
          hint={text.chainWhy}
          choices={choicesOf(assignable.chains)}
          {...record.field('default_chain_id')}
        />
      </div>
    </Section>
  );
}

/** How much may be used, with its units. */
function LimitFields({ record }: Pick<ListFieldsProps, 'record'>) {
  const text = usePermissionsText();
  return (
    <Section title={text.limits}>
      <div className={classes.two}>
        {LIMIT_FIELDS.map((field) => (
          <NumberField
            key={field}
            label={text.limit[field]}
            hint={text.limitWhy[field]}
            unit={text.unit[field]}
            placeholder={text.unlimited}
            min={1}
            {...unlimited(record.field(field))}
          />
        ))}
      </div>
    </Section>
  );
}

/** Makes the field of a limit of which 0 means none: it is empty then. */
function unlimited({ value, onValueChange, ...field }: RecordField<number | null>) {
  return {
    ...field,
    value: value === 0 ? null : value,
    onValueChange: (limit: number | null) => onValueChange(limit ?? 0),
  };
}

function choicesOf(things: readonly ({ id: string; name: string } | { key: string; name: string })[]): Choice[] {
  return things.map((thing) => ({
    value: 'id' in thing ? thing.id : thing.key,
    label: showInvisible('key' in thing && thing.name !== thing.key ? `${thing.name} (${thing.key})` : thing.name),
  }));
}
