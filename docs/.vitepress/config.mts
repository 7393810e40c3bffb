import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { defineConfig, type DefaultTheme, type MarkdownRenderer } from 'vitepress';

const DOCS = resolve(import.meta.dirname, '..');
/** Where the repository can be read, without a slash at the end. Without it, links that leave docs/ are plain text. */
const REPOSITORY = process.env['BEDROCK_REPOSITORY'];

/** Groups of pages, from the tables of a start page: its list is the only one. */
function sidebarOf(page: string): DefaultTheme.SidebarItem[] {
  const text = readFileSync(join(DOCS, page), 'utf8');
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.slice(0, section.indexOf('\n')),
      items: [...section.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, title, link]) => ({
        text: title!,
        link: linkOf(join(dirname(page), link!)),
      })),
    }))
    .filter(({ items }) => items.length > 0);
}

function linkOf(page: string): string {
  return `/${page.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '')}`;
}

/** The anchor of a heading, as GitHub makes it: links work in both. */
function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** The pages of the reference, once TypeDoc has written them. */
function reference(): DefaultTheme.SidebarItem[] {
  return existsSync(join(DOCS, 'api/README.md')) ? [{ text: 'API', link: '/api/' }] : [];
}

/** A link to a file that is no page of the site leads to the repository, or is plain text. */
function outsideLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('links that leave the site', ({ tokens, env }) => {
    for (const { children } of tokens) {
      /** For each open link, whether it becomes text. */
      const open: boolean[] = [];
      for (const token of children ?? []) {
        if (token.type === 'link_close' && open.pop() === true) asText(token);
        if (token.type !== 'link_open') continue;
        // The page of a folder is its index.
        token.attrSet('href', (token.attrGet('href') ?? '').replace(/(^|\/)README\.md(?=#|$)/, '$1index.md'));
        const outside = outsideOf(env.path, token.attrGet('href') ?? '');
        if (outside !== undefined && REPOSITORY !== undefined)
          token.attrSet('href', `${REPOSITORY}/${outside}`);
        open.push(outside !== undefined && REPOSITORY === undefined);
        if (open.at(-1) === true) asText(token);
      }
    }
  });
}

/** The path in the repository of a link that leaves the site; undefined for all other links. */
function outsideOf(page: string, href: string): string | undefined {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return undefined;
  const target = resolve(dirname(page), href.split('#')[0]!.replace(/\bindex\.md$/, 'README.md'));
  const isInside = target.startsWith(`${DOCS}/`) && /\.(?:md|svg|png)$/.test(target);
  return isInside ? undefined : relative(dirname(DOCS), target);
}

function asText(token: { type: string; content: string; nesting: number }): void {
  Object.assign(token, { type: 'text', content: '', nesting: 0 });
}

export default defineConfig({
  title: 'Bedrock',
  description: 'Distributed locks for NestJS and TypeScript',
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // It may be served from any folder of a site.
  base: process.env['BEDROCK_SITE_BASE'] ?? '/',
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, '$1index.md'),
  markdown: {
    config: outsideLinks,
    anchor: { slugify: slugOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  locales: {
    root: { label: 'English', lang: 'en' },
    'zh-CN': {
      label: '简体中文',
      lang: 'zh-CN',
      description: 'NestJS 与 TypeScript 的分布式锁',
      themeConfig: {
        nav: [
          { text: '第一把锁', link: '/zh-CN/first-lock' },
          { text: '如何选择', link: '/zh-CN/choosing' },
          { text: '可观测性', link: '/zh-CN/observability' },
        ],
        outline: { level: [2, 3], label: '本页内容' },
        docFooter: { prev: '上一页', next: '下一页' },
        darkModeSwitchLabel: '外观',
        sidebarMenuLabel: '目录',
        returnToTopLabel: '回到顶部',
      },
    },
  },
  themeConfig: {
    // Not every page is in Chinese: the menu of languages leads to the start.
    i18nRouting: false,
    nav: [
      { text: 'First lock', link: '/first-lock' },
      { text: 'Recipes', link: '/recipes/' },
      { text: 'Operations', link: '/operations/' },
      ...reference().map(({ text, link }) => ({ text: text!, link: link! })),
    ],
    sidebar: [...sidebarOf('README.md'), ...reference()],
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        locales: {
          'zh-CN': {
            translations: {
              button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
              modal: {
                noResultsText: '没有结果',
                footer: { selectText: '选择', navigateText: '切换', closeText: '关闭' },
              },
            },
          },
        },
      },
    },
  },
});
