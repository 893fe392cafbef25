/**
 * Blocks that are edited in the settings beside them and not in the text: spacers, links to social networks, footers
 * and HTML. The server renders them (src/mail/html/editor/editor-blocks.ts); the editor only approximates their look.
 */
import { mergeAttributes, Node, type NodeViewRenderer } from '@tiptap/core';
import type { Node as DocumentNode } from '@tiptap/pm/model';
import { editorTexts } from '../../texts/en/editor.ts';
import { asColour, textOn } from './block-settings.ts';
import { asText, kept } from './attribute.ts';

const t = editorTexts;

export interface NetworkLink {
  network: string;
  url: string;
}

type Attributes = Record<string, unknown>;

function wholeBlock(
  name: string,
  attributes: Record<string, unknown>,
  draw: (dom: HTMLElement, attrs: Attributes) => void,
) {
  return Node.create({
    name,
    group: 'block',
    atom: true,
    draggable: true,
    addAttributes: () =>
      Object.fromEntries(Object.entries(attributes).map(([key, initial]) => [key, kept(key, initial)])),
    parseHTML: () => [{ tag: `div[data-block="${name}"]` }],
    renderHTML: ({ HTMLAttributes }) => ['div', mergeAttributes(HTMLAttributes, { 'data-block': name })],
    addNodeView: () => viewOf(name, draw),
  });
}

function viewOf(name: string, draw: (dom: HTMLElement, attrs: Attributes) => void): NodeViewRenderer {
  return ({ node: first }) => {
    const dom = document.createElement('div');
    dom.className = `mail-block mail-${name}`;
    const show = ({ attrs }: DocumentNode) => {
      dom.replaceChildren();
      const { backgroundColor, textColor, padding } = attrs;
      dom.style.backgroundColor = backgroundColor === null ? '' : asColour(backgroundColor);
      const onColour = backgroundColor === null ? '' : textOn(backgroundColor);
      dom.style.color = textColor === null ? onColour : asColour(textColor);
      dom.toggleAttribute('data-hide-on-phone', attrs['hideOnPhone'] === true);
      dom.style.padding = padding === null ? '' : `${Number(padding) || 0}px`;
      draw(dom, attrs);
    };
    show(first);
    return {
      dom,
      update(node) {
        if (node.type.name !== name) return false;
        show(node);
        return true;
      },
    };
  };
}

function addLine(dom: HTMLElement, text: string): void {
  const line = document.createElement('p');
  line.textContent = text;
  dom.append(line);
}

export const SpacerNode = wholeBlock('spacer', { height: 32 }, (dom, { height }) => {
  const pixels = Math.min(Number(height) || 16, 400);
  dom.style.height = `${pixels}px`;
  dom.dataset['label'] = t.pixels(pixels);
});

export const SocialNode = wholeBlock('social', { links: null, alignment: 'center' }, (dom, attrs) => {
  const links = Array.isArray(attrs['links']) ? (attrs['links'] as NetworkLink[]) : [];
  dom.style.textAlign = asText(attrs['alignment']);
  addLine(dom, links.map(({ network }) => networkName(network)).join('  ·  ') || t.noNetworks);
});

export const FooterNode = wholeBlock(
  'footer',
  {
    text: '',
    address: '',
    unsubscribe: true,
    unsubscribeText: '',
    preferences: false,
    preferencesText: '',
    alignment: 'center',
  },
  (dom, attrs) => {
    dom.style.textAlign = asText(attrs['alignment']);
    const links = [
      attrs['unsubscribe'] === false ? '' : asText(attrs['unsubscribeText']) || t.unsubscribe,
      attrs['preferences'] === true ? asText(attrs['preferencesText']) || t.chooseTopics : '',
    ].filter(Boolean);
    const address = asText(attrs['address']) || t.noAddress;
    for (const line of [asText(attrs['text']), address, links.join('  ·  ')]) if (line) addLine(dom, line);
  },
);

export const HtmlNode = wholeBlock('html', { html: '' }, (dom, { html }) => {
  const code = document.createElement('code');
  code.textContent = (asText(html) || t.noHtml).slice(0, 400);
  dom.append(code);
});

function networkName(network: string): string {
  return network in t.networks ? t.networks[network as keyof typeof t.networks] : network;
}
