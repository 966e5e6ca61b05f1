import { type ReactNode, useContext } from 'react';
import { Button } from '../controls/button.tsx';
import classes from '../controls/controls.module.css';
import { useControlsText, useFormText } from '../text.ts';
import { JsonField } from '../editor/json-field.tsx';
import {
  changesFrom,
  EditedFields,
  type EditedRecord,
  faultOf,
  type JsonForm,
  readBody,
  type RecordValues,
  writtenOf,
} from './use-record.ts';
import { WHOLE_RECORD } from './use-sending.ts';

interface RecordJsonProps<T extends RecordValues> {
  readonly record: EditedRecord<T>;
  readonly stored: T;
  readonly json: JsonForm<T>;
}

/** All of a record as JSON, to be changed. */
export function RecordJson<T extends RecordValues>({ record, stored, json }: RecordJsonProps<T>): ReactNode {
  const text = useFormText();
  return (
    <>
      <JsonField
        label={text.json}
        name={WHOLE_RECORD}
        hint={text.jsonHint}
        size="large"
        value={json.write(record.values)}
        faultOf={(value) => faultOf({ json, stored, text }, value)}
        normalise={(body) => writtenOf(json, stored, body)}
        isKeptWhileUnfit
        onValueChange={(body, from) => {
          const [values, seen] = [readBody(json, body), from && readBody(json, from)];
          record.change(seen === undefined ? values : changesFrom(seen, values), seen);
        }}
      />
      <Contested />
    </>
  );
}

/** What somebody else has stored of the fields that were changed here: they are not shown by themselves. */
function Contested(): ReactNode {
  const text = useControlsText();
  const edits = [...useContext(EditedFields)];
  return edits.map(
    ([name, { theirs }]) =>
      theirs && (
        <div key={name} className={classes.theirs}>
          <span>{`${name}: ${text.theirs(theirs.words)}`}</span>
          <Button onClick={theirs.take}>{text.takeTheirs}</Button>
        </div>
      ),
  );
}
