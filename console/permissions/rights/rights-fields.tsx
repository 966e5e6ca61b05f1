import { ALLOWLISTS } from '../../../domain/resources/index.ts';
import { type Choice, ChoiceField } from '../../ui/controls/choice.tsx';
import { MultiChoiceField } from '../../ui/fields/multi-choice-field.tsx';
import { NumberField } from '../../ui/fields/number-field.tsx';
import type { EditedRecord } from '../../ui/form/use-record.ts';
import { Section } from '../../ui/page/section.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../groups-page.module.css';
import type { Assignable } from '../queries.ts';
import { usePermissionsText } from '../text.ts';
import { type GroupValues, LIMIT_FIELDS } from './group-values.ts';

interface ListFieldsProps {
  readonly record: EditedRecord<GroupValues>;
  readonly assignable: Assignable;
}

/** The records that may be used, by a picker for each kind, and the chain that must be used. */
export function ListFields({ record, assignable }: ListFieldsProps) {
  const text = usePermissionsText();
  return (
    <Section title={text.lists} lead={text.listsWhy}>
      <div className={classes.form}>
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
export function LimitFields({ record }: Pick<ListFieldsProps, 'record'>) {
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
            min={0}
            step={1}
            {...record.field(field)}
          />
        ))}
      </div>
    </Section>
  );
}

function choicesOf(things: readonly ({ id: string; name: string } | { key: string; name: string })[]): Choice[] {
  return things.map((thing) => ({
    value: 'id' in thing ? thing.id : thing.key,
    label: showInvisible('key' in thing && thing.name !== thing.key ? `${thing.name} (${thing.key})` : thing.name),
  }));
}
