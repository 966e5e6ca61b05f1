import { type ReactNode, useEffect, useState } from 'react';
import classes from './files.module.css';

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
