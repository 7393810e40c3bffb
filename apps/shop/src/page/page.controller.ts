import {
  Controller,
  Get,
  Inject,
  NotFoundException,
  Param,
  Res,
  Sse,
  type MessageEvent,
} from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import type { Observable } from 'rxjs';
import { FeedService } from './feed.service.js';
import type { PageFile } from './page.files.js';

/** Token of the page's files. */
export const PAGE_FILES = Symbol('PageFiles');

/** Allows only resources of this server, and no markup from text: a customer's name can never become a script. */
const POLICY = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
].join('; ');

/** The page, and the feed that keeps it live. */
@Controller()
export class PageController {
  constructor(
    @Inject(PAGE_FILES) private readonly files: ReadonlyMap<string, PageFile>,
    private readonly feed: FeedService,
  ) {}

  @Get()
  index(@Res({ passthrough: true }) response: ServerResponse): string {
    return this.file('index.html', response);
  }

  @Get('page/:name')
  file(@Param('name') name: string, @Res({ passthrough: true }) response: ServerResponse): string {
    const file = this.files.get(name);
    if (file === undefined) throw new NotFoundException(`the page has no file ${name}`);
    response.setHeader('Content-Type', file.type);
    response.setHeader('Content-Security-Policy', POLICY);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('Cache-Control', 'no-cache');
    return file.text;
  }

  @Sse('feed')
  news(): Observable<MessageEvent> {
    return this.feed.open();
  }
}
