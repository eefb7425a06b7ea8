init { mtype = { inner }; skip } // error: [type.mtype.local]
