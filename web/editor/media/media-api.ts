import type { Media } from '../../../src/features/content/media/media.schema.ts';
import { sendFile } from '../../api/client.ts';
import { cursorList } from '../../api/pages.ts';
import { refresh } from '../../api/query-client.ts';
import { fitForMail, isHeic } from './fit-for-mail.ts';

export type { Media };

const PAGE_SIZE = 24;

export const mediaList = cursorList<Media>(['media'], '/media', {}, PAGE_SIZE);

export async function uploadImage(file: File): Promise<Media> {
  const fitted = await fitForMail(file);
  const media = await sendFile<Media>('/media', fitted, { name: fitted.name.slice(0, 200) });
  await refresh('media');
  return media;
}

/** True if the file may be an image. If the browser or the server cannot decode it, it is rejected with a reason. */
export function isImage(file: File): boolean {
  return file.type.startsWith('image/') || isHeic(file);
}
