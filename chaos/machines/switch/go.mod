module everturn/switch

go 1.26
