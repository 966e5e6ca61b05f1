import type { ReactNode } from 'react';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import type { Family } from '../families.ts';
import { type Definition, useFileActions } from '../queries.ts';
import { useDefinitionsText } from '../text.ts';
import { throwIfTaken } from './rename-dialog.tsx';
import { starterFiles } from './starter-files.ts';

interface NewFileDialogProps {
  readonly family: Family;
  readonly definition: Definition;
  readonly paths: readonly string[];
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onAdded: (path: string) => void;
}

/** Adds a file, with something in it where it has to be of a form. */
export function NewFileDialog(props: NewFileDialogProps): ReactNode {
  const { family, definition, paths, open, onClose, onAdded } = props;
  const text = useDefinitionsText().file;
  const actions = useFileActions(family, definition.id);
  const begin = (path: string) =>
    (['http', 'javascript', 'shell'] as const)
      .flatMap((runtime) => starterFiles(family, definition, runtime))
      .find((file) => file.path === path)?.content ?? '';
  return (
    <Dialog open={open} onClose={onClose} title={text.add}>
      <Form
        submitLabel={text.add}
        onSubmit={async ({ file_path: path = '' }) => {
          throwIfTaken(paths, path, text.taken);
          await actions.write(path, begin(path));
          onClose();
          onAdded(path);
        }}
      >
        <Field
          label={text.path}
          name="file_path"
          hint={text.pathHint}
          required
          autoComplete="off"
          defaultValue={paths.length === 0 ? (family.mainFile ?? '') : ''}
        />
      </Form>
    </Dialog>
  );
}
