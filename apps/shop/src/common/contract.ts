/** JSON messages between the two services and the page. Times are ISO 8601 in UTC. */

/** One position of an order: no two lines name the same goods. */
export interface OrderLine {
  readonly goodsId: string;
  /** 1 or more. */
  readonly quantity: number;
}

/** Body of `POST /orders`. */
export interface OrderRequest {
  readonly customer: string;
  readonly lines: readonly OrderLine[];
}

/** `pending` until the stock service is known to have deducted, or to never deduct. */
export type OrderStatus = 'pending' | 'confirmed' | 'failed';

/** Response of `POST /orders` and `GET /orders/:id`. */
export interface Order extends OrderRequest {
  readonly id: string;
  readonly status: OrderStatus;
  /** Why it failed. */
  readonly reason?: string;
  /** Id under which the stock service deducts, at most once. */
  readonly operationId: string;
  readonly createdAt: string;
  readonly settledAt?: string;
}

/** Response of `GET /orders?limit=50`: counts of all orders, and the newest ones first. */
export interface OrderList {
  readonly total: number;
  readonly confirmed: number;
  readonly failed: number;
  readonly pending: number;
  readonly orders: readonly Order[];
}

/** An order was created, or its status changed. */
export interface OrderChange {
  readonly order: Order;
}

/** Body of `PUT /operations/:operationId`. */
export interface DeductionRequest {
  readonly lines: readonly OrderLine[];
}

/** How an operation ended; none of these ever becomes another. */
export type OperationState = 'deducted' | 'refused' | 'cancelled';

/** Response of `PUT`, `GET` and `DELETE /operations/:operationId`. */
export interface Operation {
  readonly operationId: string;
  readonly state: OperationState;
  /** Why nothing was deducted. */
  readonly reason?: string;
  /** The number of flow rows written: one for each line when it is `deducted`, else none. */
  readonly flows: number;
}

/** One kind of goods in `GET /stock`: amount and flows are of one snapshot. */
export interface StockRow {
  readonly goodsId: string;
  readonly start: number;
  readonly amount: number;
  /** Sum of its flows. */
  readonly sold: number;
}

/** One deduction. */
export interface Flow {
  /** In the order in which they were written. */
  readonly id: number;
  readonly operationId: string;
  readonly goodsId: string;
  readonly quantity: number;
  /** Fencing token of the lock on the goods: it grows from flow to flow of the same goods. */
  readonly token: number;
  readonly at: string;
}

/** Response of `GET /flows?limit=50`: the count of all flows, and the newest ones first. */
export interface FlowList {
  readonly total: number;
  readonly flows: readonly Flow[];
}

/** Response of `GET /books?limit=50`: stock and flows of one snapshot. */
export interface StockBooks extends FlowList {
  readonly stock: readonly StockRow[];
}

/** Response of `GET /balance`, of one snapshot. */
export interface Balance {
  /** True if start − sold is the amount of all goods, and no amount is below zero. */
  readonly holds: boolean;
  readonly goods: readonly StockRow[];
}

/** Response of `GET /health` of both services: 200 if everything is up, else 503. */
export interface Health {
  readonly status: 'up' | 'down';
  readonly parts: Readonly<Record<string, 'up' | 'down'>>;
}

/** Body of every 400. */
export interface Refusal {
  readonly statusCode: 400;
  readonly error: 'Bad Request';
  /** The wrong field: `customer`, `lines[2].quantity`. */
  readonly field: string;
  readonly message: string;
}
