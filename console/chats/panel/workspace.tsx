import { File as FileIcon, Folder, Link2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatBytes } from '../../core/text/numbers.ts';
import { timeFromNow } from '../../core/text/times.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useWorkspace, type WorkspaceEntry } from '../files/queries.ts';
import { useChatsText } from '../text.ts';
import { DownloadButton } from './download-button.tsx';
import { type FilesPlace, nameOf } from './files-place.ts';
import classes from './panel.module.css';

interface WorkspaceProps {
  readonly chatId: string;
  /** The folder that is shown; '' is the workspace itself. */
  readonly folder: string;
  readonly onShow: (place: FilesPlace) => void;
}

/** Shows the files that the agents of a chat have written, folder by folder. */
export function Workspace({ chatId, folder, onShow }: WorkspaceProps): ReactNode {
  const text = useChatsText().files;
  const entries = useWorkspace(chatId, folder);
  const open = (path: string) => onShow(path === '' ? {} : { folder: path });
  return (
    <section className={classes.part}>
      <h3>{text.ofWorkspace}</h3>
      {folder !== '' && <Crumbs folder={folder} onOpen={open} />}
      <Loaded query={entries}>
        {({ items, total }) => (
          <>
            {items.length === 0 && (
              <p className={classes.soft}>{folder === '' ? text.noneOfWorkspace : text.emptyFolder}</p>
            )}
            {items.length < total && <p className={classes.soft}>{text.more(items.length, total)}</p>}
            <ul className={classes.rows}>
              {items.map((entry) => (
                <Entry key={entry.path} chatId={chatId} entry={entry} folder={folder} onOpen={open} onShow={onShow} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </section>
  );
}

interface EntryProps extends WorkspaceProps {
  readonly entry: WorkspaceEntry;
  readonly onOpen: (path: string) => void;
}

function Entry({ chatId, entry, folder, onOpen, onShow }: EntryProps): ReactNode {
  const text = useChatsText().files;
  const { path, type, size, modified_at: time } = entry;
  const name = showInvisible(nameOf(path));
  const Icon = type === 'folder' ? Folder : type === 'file' ? FileIcon : Link2;
  return (
    <li className={classes.row}>
      <Icon aria-hidden className={classes.icon} />
      <div className={classes.what}>
        {type === 'link' ? (
          <span className={classes.name}>{`${name} (${text.link})`}</span>
        ) : (
          <button
            type="button"
            className={classes.name}
            onClick={() => (type === 'folder' ? onOpen(path) : onShow({ path, ...(folder !== '' && { folder }) }))}
          >
            {name}
          </button>
        )}
        {type === 'file' && <span className={classes.soft}>{`${formatBytes(size)} · ${timeFromNow(time)}`}</span>}
      </div>
      {type === 'file' && <DownloadButton place={{ chatId, path }} name={nameOf(path)} />}
    </li>
  );
}

function Crumbs({ folder, onOpen }: { readonly folder: string; readonly onOpen: (path: string) => void }): ReactNode {
  const text = useChatsText().files;
  const names = folder.split('/');
  return (
    <nav aria-label={text.workspace} className={classes.crumbs}>
      <Button look="quiet" onClick={() => onOpen('')}>
        {text.workspace}
      </Button>
      {names.map((name, index) => (
        <Button
          key={names.slice(0, index + 1).join('/')}
          look="quiet"
          aria-current={index === names.length - 1 ? 'location' : undefined}
          onClick={() => onOpen(names.slice(0, index + 1).join('/'))}
        >
          {`/ ${showInvisible(name)}`}
        </Button>
      ))}
    </nav>
  );
}
