import { useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowLeft, Download, File as FileIcon, Folder, Link2, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { saveFile } from '../../core/browser/browser.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { formatBytes, timeFromNow } from '../../core/text/formats.ts';
import { CodeBlock } from '../../ui/code/code-block.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { ActionButton, ConfirmButton } from '../../ui/overlays/dialog.tsx';
import { Loaded } from '../../ui/page/page.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { BlobImage, isPicture, pictureType } from '../files/message-files.tsx';
import {
  type ChatFile,
  type FileSource,
  type WorkspaceEntry,
  PREVIEW_BYTES,
  useChatFiles,
  useDeleteFile,
  useFileHead,
  useReadFile,
  useWholeFile,
  useWorkspace,
} from '../files/queries.ts';
import { useChatsText } from '../text.ts';
import classes from './panel.module.css';

/** Shows the files of a chat: those that were attached, and those that its agents have written. */
export function FilesTab({ chatId, isOwner }: { readonly chatId: string; readonly isOwner: boolean }): ReactNode {
  const { file: fileId, path, folder = '' } = useSearch({ from: '/o/$orgId/chats/$chatId' });
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  const { data: files } = useChatFiles(chatId);
  const show = (view: FilesView) =>
    void navigate({
      to: '/o/$orgId/chats/$chatId',
      params: { orgId, chatId },
      search: { panel: 'files', ...view },
    });
  const back = () => show(folder === '' ? {} : { folder });
  const file = files?.items.find(({ id }) => id === fileId);
  if (file !== undefined)
    return (
      <FilePreview source={{ chatId, fileId: file.id }} name={file.name} mediaType={file.media_type} onBack={back} />
    );
  if (path !== undefined)
    return <FilePreview source={{ chatId, path }} name={nameOf(path)} mediaType="" onBack={back} />;
  return (
    <>
      <AttachedFiles chatId={chatId} isOwner={isOwner} onShow={(id) => show({ file: id })} />
      <Workspace chatId={chatId} folder={folder} onShow={show} />
    </>
  );
}

interface FilePreviewProps {
  readonly source: FileSource;
  readonly name: string;
  /** '' when only its name tells. */
  readonly mediaType: string;
  readonly onBack: () => void;
}

/** Shows a file: pictures and text as they are; all else is there to download. */
function FilePreview({ source, name, mediaType, onBack }: FilePreviewProps): ReactNode {
  const text = useChatsText().files;
  const picture = isPicture(mediaType) ? mediaType : pictureType(name);
  return (
    <section className={classes.part}>
      <div className={classes.row}>
        <Button icon={ArrowLeft} variant="quiet" aria-label={text.back} onClick={onBack} />
        <h3 className={classes.title}>{showInvisible(name)}</h3>
        <DownloadButton source={source} name={name} />
      </div>
      {picture === '' ? (
        <TextPreview source={source} name={name} />
      ) : (
        <PicturePreview source={source} name={name} mediaType={picture} />
      )}
    </section>
  );
}

/** A button that reads a file with the user's rights, and has the browser save it. */
function DownloadButton({ source, name }: { readonly source: FileSource; readonly name: string }): ReactNode {
  const [text, read] = [useChatsText().files, useReadFile()];
  return (
    <ActionButton
      icon={Download}
      variant="quiet"
      aria-label={text.downloadOf(showInvisible(name))}
      title={text.download}
      action={async () => saveFile(await read(source), name)}
    />
  );
}

function PicturePreview({ source, name, mediaType }: Omit<FilePreviewProps, 'onBack'>): ReactNode {
  const picture = useWholeFile(source);
  return (
    <Loaded query={picture}>
      {(content) => <BlobImage content={content} mediaType={mediaType} name={showInvisible(name)} />}
    </Loaded>
  );
}

function TextPreview({ source, name }: Pick<FilePreviewProps, 'source' | 'name'>): ReactNode {
  const text = useChatsText().files;
  const head = useFileHead(source);
  return (
    <Loaded query={head}>
      {({ text: words, isWhole }) => {
        if (words === null) return <p className="faint">{text.notShown}</p>;
        if (words === '') return <p className="faint">{text.emptyFile}</p>;
        return (
          <>
            {!isWhole && <p className="faint">{text.head(formatBytes(PREVIEW_BYTES))}</p>}
            {/\.(md|markdown)$/i.test(name) ? (
              <Markdown text={words} />
            ) : (
              <CodeBlock code={words} language={/\.(\w{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? ''} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

/** What the files tab shows, as the address says it: a file of the chat, or a file or folder of its workspace. */
interface FilesView {
  readonly file?: string;
  readonly path?: string;
  readonly folder?: string;
}

/** Returns the last part of a path. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

interface WorkspaceProps {
  readonly chatId: string;
  /** The folder that is shown; '' is the workspace itself. */
  readonly folder: string;
  readonly onShow: (view: FilesView) => void;
}

/** Shows the files that the agents of a chat have written, folder by folder. */
function Workspace({ chatId, folder, onShow }: WorkspaceProps): ReactNode {
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
            {items.length === 0 && <p className="faint">{folder === '' ? text.noneOfWorkspace : text.emptyFolder}</p>}
            {items.length < total && <p className="faint">{text.more(items.length, total)}</p>}
            <ul>
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
        {type === 'file' && <span className="faint">{`${formatBytes(size)} · ${timeFromNow(time)}`}</span>}
      </div>
      {type === 'file' && <DownloadButton source={{ chatId, path }} name={nameOf(path)} />}
    </li>
  );
}

function Crumbs({ folder, onOpen }: { readonly folder: string; readonly onOpen: (path: string) => void }): ReactNode {
  const text = useChatsText().files;
  const names = folder.split('/');
  return (
    <nav aria-label={text.workspace} className={classes.crumbs}>
      <Button variant="quiet" onClick={() => onOpen('')}>
        {text.workspace}
      </Button>
      {names.map((name, index) => (
        <Button
          key={names.slice(0, index + 1).join('/')}
          variant="quiet"
          aria-current={index === names.length - 1 ? 'location' : undefined}
          onClick={() => onOpen(names.slice(0, index + 1).join('/'))}
        >
          {`/ ${showInvisible(name)}`}
        </Button>
      ))}
    </nav>
  );
}

interface AttachedFilesProps {
  readonly chatId: string;
  readonly isOwner: boolean;
  readonly onShow: (fileId: string) => void;
}

/** Shows the files that people have attached to a chat. */
function AttachedFiles({ chatId, isOwner, onShow }: AttachedFilesProps): ReactNode {
  const text = useChatsText().files;
  const files = useChatFiles(chatId);
  const remove = useDeleteFile(chatId);
  return (
    <section className={classes.part}>
      <h3>{text.ofChat}</h3>
      <Loaded query={files}>
        {({ items, total }) => (
          <>
            {items.length === 0 && <p className="faint">{text.noneOfChat}</p>}
            {items.length < total && <p className="faint">{text.more(items.length, total)}</p>}
            <ul>
              {items.map((file) => (
                <li key={file.id} className={classes.row}>
                  <div className={classes.what}>
                    <button type="button" className={classes.name} onClick={() => onShow(file.id)}>
                      {showInvisible(file.name)}
                    </button>
                    <span className="faint">{factsOf(file, text.status)}</span>
                  </div>
                  <DownloadButton source={{ chatId, fileId: file.id }} name={file.name} />
                  {isOwner && (
                    <ConfirmButton
                      icon={Trash2}
                      variant="quiet"
                      aria-label={`${text.delete} ${showInvisible(file.name)}`}
                      question={text.deleteTitle(showInvisible(file.name))}
                      why={text.deleteLead}
                      action={text.delete}
                      onConfirm={async () => remove.mutateAsync(file.id)}
                    >
                      {null}
                    </ConfirmButton>
                  )}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </section>
  );
}

function factsOf({ size, status, error }: ChatFile, words: Readonly<Record<ChatFile['status'], string>>): string {
  const state = status === 'failed' && error !== null ? `${words.failed}: ${error}` : words[status];
  return [formatBytes(size), state].filter((fact) => fact !== '').join(' · ');
}
