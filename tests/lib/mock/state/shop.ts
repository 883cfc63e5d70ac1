/**
 * A definition with many features of stateful mocks: relations, actions, entity tags, forms, XML, a singleton, lists in
 * envelopes.
 */
export const SHOP = `
openapi: 3.1.0
info: {title: Shop, version: 1.0.0}
paths:
  /customers:
    get:
      responses:
        "200":
          description: Customers
          content:
            application/json:
              schema:
                type: object
                required: [data, total]
                properties:
                  data: {type: array, items: {$ref: "#/components/schemas/CustomerSummary"}}
                  total: {type: integer}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/NewCustomer"}}}}
      responses:
        "201":
          description: The new customer
          headers: {Location: {schema: {type: string}}}
          content: {application/json: {schema: {$ref: "#/components/schemas/Customer"}}}
        "409": {description: Taken}
  /customers/{customerId}:
    parameters: [{name: customerId, in: path, required: true, schema: {type: string, format: uuid}}]
    get:
      responses:
        "200":
          description: The customer
          content:
            application/json: {schema: {$ref: "#/components/schemas/Customer"}}
            application/xml: {schema: {$ref: "#/components/schemas/Customer"}}
    post:
      requestBody:
        content:
          application/x-www-form-urlencoded: {schema: {$ref: "#/components/schemas/NewCustomer"}}
      responses:
        "200": {description: Changed, content: {application/json: {schema: {$ref: "#/components/schemas/Customer"}}}}
    delete:
      responses:
        "200": {description: Deleted, content: {application/json: {schema: {$ref: "#/components/schemas/Customer"}}}}
  /customers/{customerId}/orders:
    parameters: [{name: customerId, in: path, required: true, schema: {type: string, format: uuid}}]
    get:
      responses:
        "200":
          description: Orders
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Order"}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/NewOrder"}}}}
      responses:
        "201": {description: The order, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
  /customers/{customerId}/orders/{orderId}:
    parameters:
      - {name: customerId, in: path, required: true, schema: {type: string, format: uuid}}
      - {name: orderId, in: path, required: true, schema: {type: integer}}
    get:
      responses:
        "200": {description: The order, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
  /customers/{customerId}/orders/{orderId}/cancel:
    parameters:
      - {name: customerId, in: path, required: true, schema: {type: string, format: uuid}}
      - {name: orderId, in: path, required: true, schema: {type: integer}}
    post:
      responses:
        "200": {description: The order, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
  /products:
    get:
      responses:
        "200":
          description: Products
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Product"}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Product"}}}}
      responses:
        "201": {description: Product, content: {application/json: {schema: {$ref: "#/components/schemas/Product"}}}}
        "409":
          description: Taken
          content:
            application/json: {schema: {type: object, required: [message], properties: {message: {type: string}}}}
  /products/{sku}:
    parameters: [{name: sku, in: path, required: true, schema: {type: string}}]
    get:
      responses:
        "200":
          description: Product
          headers: {ETag: {schema: {type: string}}}
          content: {application/json: {schema: {$ref: "#/components/schemas/Product"}}}
    put:
      parameters: [{name: If-Match, in: header, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Product"}}}}
      responses:
        "200":
          description: Product
          headers: {ETag: {schema: {type: string}}}
          content: {application/json: {schema: {$ref: "#/components/schemas/Product"}}}
        "412": {description: Changed}
  /settings:
    get:
      responses:
        "200": {description: Settings, content: {application/json: {schema: {$ref: "#/components/schemas/Settings"}}}}
    patch:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Settings"}}}}
      responses:
        "200": {description: Settings, content: {application/json: {schema: {$ref: "#/components/schemas/Settings"}}}}
components:
  schemas:
    NewCustomer:
      type: object
      required: [name]
      properties:
        name: {type: string, minLength: 1, maxLength: 30}
        email: {type: string, format: email}
        age: {type: integer, minimum: 0, maximum: 150}
        password: {type: string, writeOnly: true}
    Customer:
      allOf:
        - {$ref: "#/components/schemas/NewCustomer"}
        - type: object
          required: [id, createdAt]
          properties:
            id: {type: string, format: uuid, readOnly: true}
            createdAt: {type: string, format: date-time, readOnly: true}
    CustomerSummary:
      type: object
      required: [id, name]
      properties: {id: {type: string, format: uuid}, name: {type: string}}
    NewOrder:
      type: object
      properties:
        productSku: {type: string}
        quantity: {type: integer}
    Order:
      type: object
      required: [id, status, customerId, product]
      properties:
        id: {type: integer, readOnly: true}
        customerId: {type: string, format: uuid, readOnly: true}
        product: {$ref: "#/components/schemas/Product"}
        quantity: {type: integer}
        status: {type: string, readOnly: true, enum: [pending, shipped, cancelled]}
        cancelledAt: {type: [string, "null"], format: date-time, readOnly: true}
    Product:
      type: object
      required: [sku, price]
      properties:
        sku: {type: string}
        price: {type: number, minimum: 0}
        title: {type: string}
    Settings:
      type: object
      required: [theme]
      properties: {theme: {type: string, enum: [light, dark]}, size: {type: integer, default: 12}}
`;
