/** Shows the number of unread conversations on the icon of the tab, and on that of the installed app. */
import { useEffect } from 'react';

const SIZE = 64;
/** The red of `bad`. At 16 pixels it stands out from the brass of the icon in both themes. */
const BADGE = '#9c2820';
const MOST_SHOWN = 99;

export function useUnreadIcon(unread: number): void {
  useEffect(() => {
    // Some browsers have no badges. Pages that are not installed may not set one.
    void navigator.setAppBadge?.(unread).catch(() => {});
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (!link || unread === 0) return undefined;
    const plain = link.href;
    const plainType = link.type;
    let isOver = false;
    const show = async () => {
      const drawn = await drawIcon(plain, unread);
      if (isOver || drawn === null) return;
      link.type = 'image/png';
      link.href = drawn;
    };
    void show();
    return () => {
      isOver = true;
      link.type = plainType;
      link.href = plain;
    };
  }, [unread]);
}

/** Null where the browser draws no SVG. */
async function drawIcon(source: string, unread: number): Promise<string | null> {
  const canvas = document.createElement('canvas');
  canvas.width = SIZE;
  canvas.height = SIZE;
  const context = canvas.getContext('2d');
  const image = new Image(SIZE, SIZE);
  image.src = source;
  try {
    await image.decode();
  } catch {
    return null;
  }
  if (!context) return null;
  context.drawImage(image, 0, 0, SIZE, SIZE);
  const text = unread > MOST_SHOWN ? `${MOST_SHOWN}+` : String(unread);
  const width = text.length === 1 ? 40 : text.length === 2 ? 52 : SIZE;
  context.fillStyle = BADGE;
  context.beginPath();
  context.roundRect(SIZE - width, SIZE - 40, width, 40, 20);
  context.fill();
  context.fillStyle = '#ffffff';
  context.font = `bold ${text.length > 2 ? 28 : 34}px sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(text, SIZE - width / 2, SIZE - 18);
  return canvas.toDataURL('image/png');
}
