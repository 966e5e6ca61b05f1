import { useNavigate, useSearch } from '@tanstack/react-router';
import { FilePlus } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/fields/text-fields.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { useRecordDrafts } from '../../ui/form/use-record.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Empty, Loaded } from '../../ui/page/page.tsx';
import { Tree, treeOfPaths } from '../../ui/tree/tree.tsx';
import {
  type Definition,
  type DefinitionKind,
  type FileItem,
  useChangeRefusal,
  useFileActions,
  useFiles,
} from '../queries.ts';
import { useDefinitionsText } from '../text.ts';
import { draftKeyOf, FileEditor, throwIfTaken } from './file-editor.tsx';
import classes from '../definitions.module.css';
import { starterFiles } from './starter-files.ts';

interface FilesPanelProps {
  readonly kind: DefinitionKind;
  readonly definition: Definition;
}

/** The files of a skill or tool: a tree, beside it the file that is open. */
export function FilesPanel({ kind, definition }: FilesPanelProps): ReactNode {
  const files = useFiles(kind, definition.id);
  return <Loaded query={files}>{(items) => <Files kind={kind} definition={definition} files={items} />}</Loaded>;
}

function Files({ kind, definition, files }: FilesPanelProps & { readonly files: readonly FileItem[] }): ReactNode {
  const text = useDefinitionsText();
  const [navigate, drafts] = [useNavigate(), useRecordDrafts()];
  const search = useSearch({ strict: false });
  const refusal = useChangeRefusal(kind, definition);
  const [isAdding, setIsAdding] = useState(false);
  const isBuiltin = definition.origin === 'builtin';
  const paths = useMemo(() => files.map(({ path }) => path), [files]);
  const nodes = useMemo(() => treeOfPaths(paths), [paths]);
  const isUnsaved = (path: string) => drafts.read(draftKeyOf(definition.id, path)) !== '';
  const unsaved = Object.fromEntries(paths.filter(isUnsaved).map((path) => [path, true]));
  const dot = <span className={classes.dot} title={text.file.unsaved} />;
  const open = [search.file, kind.mainFile, paths[0]].find((path) => path !== undefined && paths.includes(path));
  const show = (path: string | undefined) => {
    const tab = search.tab === undefined ? {} : { tab: search.tab };
    void navigate({ to: '.', search: path === undefined ? tab : { ...tab, file: path }, replace: true });
  };
  const add = (
    <Button icon={FilePlus} reason={refusal} onClick={() => setIsAdding(true)}>
      {text.file.add}
    </Button>
  );
  const adding = (
    <NewFileDialog
      kind={kind}
      definition={definition}
      paths={paths}
      open={isAdding}
      onClose={() => setIsAdding(false)}
      onAdded={show}
    />
  );
  if (open === undefined)
    return (
      <>
        <Empty title={text.file.none} action={isBuiltin ? undefined : add}>
          {text.kinds[kind.key].filesWhy}
        </Empty>
        {adding}
      </>
    );
  return (
    <div className={classes.panel}>
      <div className={classes.side}>
        <Tree
          label={text.files}
          nodes={nodes}
          selected={open}
          onSelect={show}
          note={({ path }) => path in unsaved && dot}
        />
        {!isBuiltin && add}
      </div>
      <FileEditor key={open} kind={kind} definition={definition} path={open} paths={paths} onMoved={show} />
      {adding}
    </div>
  );
}

interface NewFileDialogProps {
  readonly kind: DefinitionKind;
  readonly definition: Definition;
  readonly paths: readonly string[];
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onAdded: (path: string) => void;
}

/** Adds a file, with something in it where it has to be of a form. */
function NewFileDialog(props: NewFileDialogProps): ReactNode {
  const { kind, definition, paths, open, onClose, onAdded } = props;
  const text = useDefinitionsText().file;
  const actions = useFileActions(kind, definition.id);
  const begin = (path: string) =>
    (['http', 'javascript', 'shell'] as const)
      .flatMap((runtime) => starterFiles(kind, definition, runtime))
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
          defaultValue={paths.length === 0 ? (kind.mainFile ?? '') : ''}
        />
      </Form>
    </Dialog>
  );
}
