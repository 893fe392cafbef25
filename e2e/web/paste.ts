import type { Page } from 'playwright-core';

/** Simulates pasting this data at the cursor. */
export function paste(page: Page, data: Record<string, string>): Promise<void> {
  return page.evaluate(`{
    const clipboardData = new DataTransfer();
    for (const [type, text] of Object.entries(${JSON.stringify(data)})) clipboardData.setData(type, text);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
  }`);
}

/** Simulates pasting or dropping files at the cursor. */
export function pasteFiles(
  page: Page,
  files: { name: string; type: string }[],
  way: 'paste' | 'drop' = 'paste',
): Promise<void> {
  return page.evaluate(`{
    const data = new DataTransfer();
    for (const { name, type } of ${JSON.stringify(files)}) data.items.add(new File(['x'], name, { type }));
    const { x, y } = document.activeElement.getBoundingClientRect();
    const common = { bubbles: true, cancelable: true };
    const event = ${JSON.stringify(way)} === 'paste'
      ? new ClipboardEvent('paste', { ...common, clipboardData: data })
      : new DragEvent('drop', { ...common, dataTransfer: data, clientX: x + 30, clientY: y + 30 });
    document.activeElement.dispatchEvent(event);
  }`);
}
