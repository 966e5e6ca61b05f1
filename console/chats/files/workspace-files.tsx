import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useOrgId } from '../../core/session/session-context.tsx';
import { type OwnFiles, OwnFilesContext } from '../../ui/markdown/own-files.ts';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../chats.module.css';
import { BlobImage, pictureType } from './message-files.tsx';
import { type FileSource, useSmallFile } from './queries.ts';

interface WorkspaceFilesProps {
  readonly chatId: string;
  readonly children: ReactNode;
}

/** Lets the messages within show the files of the workspace that they name. */
export function WorkspaceFiles({ chatId, children }: WorkspaceFilesProps): ReactNode {
  const files = useMemo(() => filesOf(chatId), [chatId]);
  return <OwnFilesContext value={files}>{children}</OwnFilesContext>;
}

function filesOf(chatId: string): OwnFiles {
  return {
    link: (path, words) => (
      <FileLink chatId={chatId} path={path}>
        {words}
      </FileLink>
    ),
    picture: (path, description) => <Picture chatId={chatId} path={path} description={description} />,
  };
}

interface WorkspaceFileProps {
  readonly chatId: string;
  readonly path: string;
}

function FileLink({ chatId, path, children }: WorkspaceFileProps & { readonly children: ReactNode }): ReactNode {
  return (
    <Link to="/o/$orgId/chats/$chatId" params={{ orgId: useOrgId(), chatId }} search={{ panel: 'files', path }}>
      {children}
    </Link>
  );
}

function Picture({ chatId, path, description }: WorkspaceFileProps & { readonly description: string }): ReactNode {
  const mediaType = pictureType(path);
  const name = showInvisible(description === '' ? path : description);
  return (
    <FileLink chatId={chatId} path={path}>
      {mediaType === '' ? name : <Shown source={{ chatId, path }} mediaType={mediaType} name={name} />}
    </FileLink>
  );
}

interface ShownProps {
  readonly source: FileSource;
  readonly mediaType: string;
  readonly name: string;
}

/** Shows a picture, or its name when it is not there, or too large to be shown by itself. */
function Shown({ source, mediaType, name }: ShownProps): ReactNode {
  const { data } = useSmallFile(source);
  if (data == null) return name;
  return (
    <span className={classes.shown}>
      <BlobImage content={data} mediaType={mediaType} name={name} />
    </span>
  );
}
