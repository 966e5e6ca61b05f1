import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOrgId } from '../../core/session/session-context.tsx';
import { useChatFiles } from '../files/queries.ts';
import { AttachedFiles } from './attached-files.tsx';
import { FilePreview } from './file-preview.tsx';
import { type FilesPlace, nameOf } from './files-place.ts';
import { Workspace } from './workspace.tsx';

interface FilesTabProps {
  readonly chatId: string;
  readonly isOwner: boolean;
}

/** Shows the files of a chat: those that were attached, and those that its agents have written. */
export function FilesTab({ chatId, isOwner }: FilesTabProps): ReactNode {
  const { file: fileId, path, folder = '' } = useSearch({ from: '/o/$orgId/chats/$chatId' });
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  const { data: files } = useChatFiles(chatId);
  const show = (place: FilesPlace) =>
    void navigate({
      to: '/o/$orgId/chats/$chatId',
      params: { orgId, chatId },
      search: { panel: 'files', ...place },
    });
  const back = () => show(folder === '' ? {} : { folder });
  const file = files?.items.find(({ id }) => id === fileId);
  if (file !== undefined)
    return (
      <FilePreview place={{ chatId, fileId: file.id }} name={file.name} mediaType={file.media_type} onBack={back} />
    );
  if (path !== undefined)
    return <FilePreview place={{ chatId, path }} name={nameOf(path)} mediaType="" onBack={back} />;
  return (
    <>
      <AttachedFiles chatId={chatId} isOwner={isOwner} onShow={(id) => show({ file: id })} />
      <Workspace chatId={chatId} folder={folder} onShow={show} />
    </>
  );
}
