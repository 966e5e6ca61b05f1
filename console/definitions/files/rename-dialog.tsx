import type { ReactNode } from 'react';
import { Problem } from '../../core/http/problem.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useDefinitionsText } from '../text.ts';

interface RenameDialogProps {
  readonly path: string;
  readonly paths: readonly string[];
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onRename: (path: string) => Promise<void>;
}

/** Gives a file another path. */
export function RenameDialog({ path, paths, open, onClose, onRename }: RenameDialogProps): ReactNode {
  const text = useDefinitionsText().file;
  return (
    <Dialog open={open} onClose={onClose} title={text.renameTitle(showInvisible(path))}>
      <Form
        submitLabel={text.rename}
        onSubmit={async ({ file_path: name = '' }) => {
          throwIfTaken(paths, name, text.taken);
          await onRename(name);
          onClose();
        }}
      >
        <Field
          label={text.path}
          name="file_path"
          hint={text.pathHint}
          required
          defaultValue={path}
          autoComplete="off"
        />
      </Form>
    </Dialog>
  );
}

/** Refuses a path that another file has: writing it would replace that one. */
export function throwIfTaken(paths: readonly string[], path: string, words: string): void {
  if (paths.includes(path)) throw new Problem(422, words, { fields: { file_path: words } });
}
