import { Module, type DynamicModule, type FactoryProvider, type ModuleMetadata } from '@nestjs/common';
import { FeedService } from './feed.service.js';
import { PAGE_SOURCE, type PageSource } from './page-source.js';
import { PAGE_FILES, PageController } from './page.controller.js';
import { readPageFiles } from './page.files.js';

/** Source of the page's orders. */
export type PageOptions = Pick<ModuleMetadata, 'imports'> &
  Pick<FactoryProvider<PageSource>, 'inject' | 'useFactory'>;

/** The live page at `/`, with its feed at `/feed`. */
@Module({})
export class PageModule {
  static over({ imports = [], inject = [], useFactory }: PageOptions): DynamicModule {
    return {
      module: PageModule,
      imports,
      controllers: [PageController],
      providers: [
        { provide: PAGE_SOURCE, inject, useFactory },
        { provide: PAGE_FILES, useFactory: readPageFiles },
        FeedService,
      ],
    };
  }
}
