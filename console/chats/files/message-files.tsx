import { Link } from '@tanstack/react-router';
import { File as FileIcon } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useOrgId } from '../../core/session/session-context.tsx';
import { formatBytes } from '../../core/text/formats.ts';
import chips from '../../ui/files/files.module.css';
import { showInvisible } from '../../ui/visible.ts';
import type { Message } from '../connection/merge-messages.ts';
import { useChatsText } from '../text.ts';
import classes from '../chats.module.css';
import { type ChatFile, useChatFiles, useWholeFile } from './queries.ts';

/** Larger pictures are not shown by themselves: they are read as a whole. */
const MAX_PICTURE_BYTES = 1_000_000;

/** Shows the files that a message names. */
export function MessageFiles({ message }: { readonly message: Message }): ReactNode {
  const text = useChatsText().files;
  const { chat_id: chatId, file_ids: ids } = message;
  const { data } = useChatFiles(chatId, ids.length > 0);
  if (ids.length === 0 || data === undefined) return null;
  return (
    <ul className="wrap" aria-label={text.label}>
      {ids.map((id) => {
        const file = data.items.find((each) => each.id === id);
        return (
          <li key={id} className={chips.chip}>
            {file === undefined ? <span className="faint">{text.gone}</span> : <FileLink file={file} />}
          </li>
        );
      })}
    </ul>
  );
}

function FileLink({ file }: { readonly file: ChatFile }): ReactNode {
  const name = showInvisible(file.name);
  return (
    <Link
      to="/o/$orgId/chats/$chatId"
      params={{ orgId: useOrgId(), chatId: file.chat_id }}
      search={{ panel: 'files', file: file.id }}
      className={`line min-w-0 ${chips.link}`}
    >
      {isPicture(file.media_type) && file.size <= MAX_PICTURE_BYTES ? (
        <Thumbnail file={file} />
      ) : (
        <FileIcon aria-hidden className={chips.icon} />
      )}
      <span className={chips.name}>{name}</span>
      <span className="faint">{formatBytes(file.size)}</span>
    </Link>
  );
}

/** Raster formats that all browsers show. Drawings that hold scripts are not among them. */
const SHOWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

/** Returns whether a file of a type is shown as a picture. */
export function isPicture(mediaType: string): boolean {
  return SHOWN.has(mediaType);
}

/** Returns the type of a picture by the name of its file; '' for all else. */
export function pictureType(name: string): string {
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const type = `image/${ending === 'jpg' ? 'jpeg' : ending}`;
  return SHOWN.has(type) ? type : '';
}

interface BlobImageProps {
  readonly content: Blob;
  readonly mediaType: string;
  readonly name: string;
}

/** Shows a picture that was read with the user's rights: its address is the page's own. */
export function BlobImage({ content, mediaType, name }: BlobImageProps): ReactNode {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([content], { type: mediaType }));
    // oxlint-disable-next-line react/set-state-in-effect -- it holds memory, so it is made where it is given back
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [content, mediaType]);
  return address === undefined ? null : <img src={address} alt={name} className={classes.picture} />;
}

function Thumbnail({ file }: { readonly file: ChatFile }): ReactNode {
  const { data } = useWholeFile({ chatId: file.chat_id, fileId: file.id });
  if (data === undefined) return null;
  return (
    <span className={classes.thumbnail}>
      <BlobImage content={data} mediaType={file.media_type} name="" />
    </span>
  );
}
